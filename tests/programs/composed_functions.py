"""Functions of NumPy that are made of others: parts, sections, margins, differences, polynomials, axes, grids."""

import numpy as np

from collect import program

GENERATOR = np.random.default_rng(31)
X = GENERATOR.normal(size=5)
M = GENERATOR.normal(size=(3, 4))
CUBE = GENERATOR.normal(size=(2, 3, 4))
SINGLE = GENERATOR.normal(size=(3, 4)).astype(np.float32)
POSITIONS = np.array([[3, 0], [1, 1], [0, 2]])


def weighed(arrays):
    """A number in which each element counts differently."""
    total = 0.0
    for y in arrays:
        row = np.reshape(y, (-1,))
        total = total + np.sum(np.sin(row) * (1.0 + np.arange(row.shape[0])))
    return total


@program(X, np.array([4, 0, 0, -2]))
@program(X, np.array([[1, 2], [2, 1]]))
@program(M, np.array([11, -12, 3]))
def taken_from_all(x, positions):
    return weighed([np.take(x, positions)])


@program(M, np.array([0, 2, 2]))
@program(M, 1)
@program(SINGLE, np.array([-1, 0]))
@program(CUBE, np.array([[0, 1], [1, 1]]))
def taken_along_axes(x, positions):
    return weighed([np.take(x, positions, axis=1), x.take(positions, 0 if x.ndim == 3 else -1)])


@program(M, np.array([7, -9, 2]))
def taken_around_and_at_the_ends(x, positions):
    around = np.take(x, positions, axis=0, mode="wrap")
    return weighed([around, np.take(x, positions, mode="clip")])


@program(X)
def taken_by_truth_values(x):
    return weighed([np.take(x, x > 0.0), np.take(x, [True, False, True])])


@program(M, POSITIONS)
@program(SINGLE, POSITIONS)
@program(M, np.array([[2]]))
@program(M[:1], POSITIONS)
def taken_along_lines(x, positions):
    return weighed([np.take_along_axis(x, positions, -1)])


@program(CUBE, np.array([[[0, 1, 0, 1]]]))
def taken_along_the_first_axis(x, positions):
    return weighed([np.take_along_axis(x, positions, axis=0)])


@program(M, np.array([3, 3, 11]))
def taken_along_all(x, positions):
    return weighed([np.take_along_axis(x, positions, axis=None)])


@program(M)
def equal_sections(x):
    left, right = np.split(x, 2, axis=-1)
    return weighed([left * right, np.split(x, 3)[1]])


@program(X, 2)
@program(M, 1)
@program(np.ones((0, 3)), 0)
def sections_between_positions(x, k):
    first, second, third = np.split(x, [k, k + 2])
    return weighed([first, 2.0 * second, 3.0 * third])


@program(X)
@program(CUBE)
@program(np.ones(1))
def unequal_sections(x):
    return weighed(np.array_split(x, 3, -1))


@program(M)
@program(SINGLE)
@program(X)
@program(np.ones((0, 2)))
def margins_of_zeros(x):
    return weighed([np.pad(x, 1), np.pad(x, (0, 2))])


@program(M, 1.5)
def margins_of_constants(x, c):
    first = np.pad(x, ((1, 0), (2, 1)), constant_values=c)
    second = np.pad(x, 1, constant_values=((c, 1.0), (x[0, 0], 2.0)))
    return weighed([first, second, np.pad(x, (1, 2), "constant", constant_values=(c, 3))])


@program(M)
@program(X)
@program(np.ones((2, 1)))
def margins_of_elements(x):
    edges = weighed([np.pad(x, 2, mode="edge"), np.pad(x, (1, 6), mode="reflect")])
    return edges + weighed([np.pad(x, (7, 2), mode="symmetric"), np.pad(x, (1, 9), mode="wrap")])


@program(M)
@program(X)
def margins_of_statistics(x):
    return weighed([np.pad(x, 1, mode="mean"), np.pad(x, (2, 1), mode="maximum"), np.pad(x, (0, 2), mode="minimum")])


@program(M, 0.5)
@program(X, -1.0)
def margins_that_fall(x, end):
    return weighed([np.pad(x, (3, 2), mode="linear_ramp", end_values=end), np.pad(x, 1, mode="linear_ramp")])


@program(X, 0.3)
def axes_of_vectors_and_numbers(x, a):
    return weighed([np.atleast_1d(a), np.atleast_2d(x), np.atleast_3d(x), np.atleast_2d(a), np.atleast_1d(x)])


@program(M)
def axes_of_matrices(x):
    row, column = np.atleast_2d(x[0], x[:, :1])
    return weighed([row + column, np.atleast_3d(x)])


@program(1.5)
def axes_of_lists(a):
    return weighed([np.atleast_1d([a, 2.0 * a]), np.atleast_3d([[a], [1.0]])])


@program(X)
def view_with_more_axes(x):
    y = x.copy()
    rows = np.atleast_2d(y)
    rows[0, 1] = 3.0 * x[0]
    return weighed([y])


@program(M, M[0], 2.5)
@program(SINGLE, SINGLE[:, :1], 0.5)
@program(np.ones((3, 0)), np.ones((3, 1)), 1.0)
def broadcast_to_one_shape(x, y, a):
    first, second, third = np.broadcast_arrays(x, y, a)
    return weighed([first, second * third])


@program(X)
@program(M)
@program(CUBE)
@program(np.ones((2, 1)))
def differences(x):
    return weighed([np.diff(x), np.diff(x, axis=0), np.diff(x, n=2), np.diff(x, 0)])


@program(M)
@program(np.ones((3, 0)))
def differences_beyond_the_ends(x):
    first = np.diff(x, prepend=1.0, append=2.0 * x)
    return weighed([first, np.diff(x, n=2, axis=0, prepend=np.sum(x), append=x[:1])])


@program(X, 1.5)
@program(X, 2)
@program(np.arange(3), 0.7)
@program(X, M)
@program(np.ones(0), 1.5)
@program(np.abs(X).astype(np.float32), np.abs(SINGLE))
def polynomials(p, x):
    return weighed([np.polyval(p, x)])


@program(1.5, M)
@program(1.5, 2.5)
def polynomials_of_listed_coefficients(a, x):
    return weighed([np.polyval([a, 2, a * a], x), np.polyval((1, 0), x)])


@program(M)
@program(SINGLE)
def grids_between_arrays(x):
    along = np.linspace(x[0], x[1, :1], 4, endpoint=False, axis=-1)
    points, step = np.linspace(x, 2.0, 3, retstep=True)
    return weighed([np.linspace(x[0], x[1], 5), along, points, step])


@program(0.5, 2.5)
@program(2, 2.5)
def grids_between_numbers(a, b):
    points, step = np.linspace(a, b, 4, retstep=True)
    return weighed([points, np.linspace(b, a, 3)]) + step


@program(X, 2.5)
@program(np.abs(M), -0.5)
@program(np.abs(SINGLE), 1.5)
def powers_of_floats(x, p):
    return weighed([np.float_power(np.abs(x), p), np.float_power(2.0, x)])


@program(X)
@program(M)
@program(np.array([2.0, 0.0, 3.0, 0.0, 0.5]))
@program(np.array([[0.0, 2.0], [0.0, 0.0], [1.5, 0.0]]))
@program(np.ones((0, 2)))
@program(SINGLE)
def products_so_far(x):
    chosen = np.where(np.abs(x) > 0.3, np.cumprod(x, axis=0), x)
    return weighed([np.cumprod(x), np.cumprod(x, axis=-1), chosen])
