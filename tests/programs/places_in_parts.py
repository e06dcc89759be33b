"""One place of a part of an array: counted from the end of the part, outside of the part but in the array."""

import numpy as np

from collect import failing, program

M = np.array([[0.3, -0.8, 1.2, 0.5], [0.9, 0.1, -0.4, 1.5], [-1.1, 0.7, 0.2, -0.6], [0.4, 1.3, -0.9, 0.8]])
SINGLE = np.float32


@program(M)
@program(M.astype(SINGLE))
@program(np.asfortranarray(M))
@program(M[:, ::2])
def last_of_rows(m):
    inner, first, ends, turned, rest = m[1:-1], m[:2], m[::2], m[::-1], m[1:]
    total = np.sum(inner[-1] * m[0]) + np.sum(first[-1] * m[1]) * 2.0
    total += np.sum(ends[-1] * m[0]) * 3.0 + np.sum(turned[-1] * m[1]) * 4.0
    return total + np.sum(rest[-2] * rest[-1]) * 5.0


@program(M)
def last_of_more_rows_than_there_are(m):
    part = m[2:9]
    return np.sum(part[-1] * m[0] + np.sin(part[-2]))


@program(M)
def last_of_columns(m):
    part = m[1:, 1:3]
    return np.sum(part[:, -1] * m[1:, 0]) + np.sum(part[-1, :] * m[0, :2]) + np.sum(part.T[-1] * part.T[0])


@program(M)
def last_of_one_row(m):
    """The part has one row, which is the first and the last one."""
    m = m.copy()
    part = m[1:2, :-1]
    part[0] += part[-1]
    part[-1] *= np.cos(part[0])
    return np.sum(m * m)


@program(M, -1)
@program(M, -2)
@program(M, 0)
@program(M, 1)
def place_that_the_call_tells(m, k):
    part = m[1:3]
    return np.sum(part[k] * m[0]) + np.sum(np.sin(m[:, 2:][:, k]))


@program(M)
def last_of_what_is_computed(m):
    """A part of an array times one is that part."""
    rows = m[1:] * 1.0
    total = np.sum(rows[-1] * m[0]) + np.sum(rows[1:] * rows[:-1])
    return total + np.sum((m[:2] + 0.0)[-1] * m[3])


@program(M)
def every_place_of_a_part(m):
    m = m.copy()
    part = m[1:3, 1:]
    total = 0.0
    for k in range(-2, 2):
        total += np.sum(part[k] * part[-1 - k]) * (k + 3)
        part[k] *= 0.5
    return total + np.sum(m * m)


@program(M)
def new_axis_and_its_last_place(m):
    part = m[None, 1:]
    return np.sum(part[-1] * part[0]) + np.sum(part[0, -1] * part[-1, 0])


@failing(M, 2, error=IndexError)
@failing(M, 3, error=IndexError)
@failing(M, -3, error=IndexError)
def outside_of_a_part(m, k):
    """The array has such a row, but the part does not."""
    part = m[:2]
    return np.sum(part[k] * m[0])


@failing(M, error=IndexError)
def last_of_nothing(m):
    part = m[3:2]
    return np.sum(part[-1] * m[0])


@failing(M, error=IndexError)
def outside_of_columns(m):
    part = m[:, 1:3]
    return np.sum(part[:, 2] * m[:, 0])


@failing(M, 2, error=IndexError)
def written_outside_of_a_part(m, k):
    m = m.copy()
    part = m[:2]
    part[k] = 2.0 * m[0]
    return np.sum(m)


@failing(M, 1, error=IndexError)
@failing(M, -2, error=IndexError)
def outside_of_a_new_axis(m, k):
    part = m[None]
    return np.sum(part[k] * m)
