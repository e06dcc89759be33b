"""Which numbers stand behind an optimisation barrier."""

import numpy as np

import pullback as pb
from programs import decreasing_indices


def machine_text(function, *arguments, **options):
    return pb.inspect_source(pb.differentiable(**options)(function), *arguments, argnums=(0, 1))


def test_rows_of_what_was_kept_are_read_through_a_barrier():
    text = machine_text(decreasing_indices.leapfrog, decreasing_indices.X, decreasing_indices.W, 3)
    assert text.count("opaque(k)") == 1
    assert "opaque" not in machine_text(
        decreasing_indices.leapfrog,
        decreasing_indices.X,
        decreasing_indices.W,
        3,
        optimisations=pb.OPTIMISATIONS - {"optimisation_barriers"},
    )


def test_what_people_read_has_no_barrier():
    assert "opaque" not in pb.source(decreasing_indices.leapfrog, decreasing_indices.X, decreasing_indices.W, 3)


def test_rows_at_a_distance_are_made_of_one_opaque_number():
    m = np.cos(np.arange(63.0)).reshape(7, 9)
    text = machine_text(decreasing_indices.every_other_row_from_the_last, m, m[:, 0])
    assert text.count("= opaque(i)") == 1


def in_one_array(x, w):
    y = x.copy()
    for i in range(x.shape[0] - 2, 0, -1):
        for j in range(1, x.shape[1]):
            y[i, j] = np.sin(y[i + 1, j] * y[i, j - 1])
    return np.sum(y) + w


def test_rows_of_one_array_need_none():
    assert "opaque" not in machine_text(in_one_array, np.ones((4, 4)), 1.0)


def few_rows(x, w):
    y = np.zeros(w.shape[0])
    for i in range(3, -1, -1):
        for j in range(w.shape[0]):
            y[j] = y[j] * w[j] + x[i, j]
    return np.sum(y)


def test_a_loop_that_may_be_unrolled_needs_none():
    assert "opaque" not in machine_text(few_rows, np.ones((4, 4)), np.ones(4))
