"""TensorFlow's functions at the edges of what they take: what is refused, dtypes, empty tensors, ties and NaN.

Expected values were taken from TensorFlow 2.21.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as pb
import pullback.tf as tf

ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
NAN, INF = float("nan"), float("inf")


def same(found: Any, expected: Any, dtype: str) -> None:
    """The same elements in this dtype."""
    assert found.dtype == dtype
    np.testing.assert_array_equal(found.numpy(), expected)


def gradient(function: Callable[..., Any], *arrays: Any) -> Any:
    xs = [tf.constant(one, tf.float32) for one in arrays]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
    found = tape.gradient(y, xs)
    return found[0] if len(xs) == 1 else found


VALUES: list[tuple[str, Callable[[], Any], Any, str]] = [
    ("large integers are int64", lambda: tf.constant(2**31), 2**31, "int64"),
    ("integers below all of int32", lambda: tf.constant([1, -(2**31) - 1]), [1, -(2**31) - 1], "int64"),
    ("the least integer of int32", lambda: tf.constant(-(2**31)), -(2**31), "int32"),
    ("a shape takes elements in a row", lambda: tf.constant([1, 2, 3, 4], shape=(2, 2)), [[1, 2], [3, 4]], "int32"),
    ("a shape is filled by one", lambda: tf.constant([1.0], shape=(2, 2)), np.ones((2, 2)), "float32"),
    ("a hint that fits", lambda: tf.convert_to_tensor([1, 2], dtype_hint=tf.float32), [1, 2], "float32"),
    ("a hint that does not", lambda: tf.convert_to_tensor(1.5, dtype_hint=tf.int32), 1.5, "float32"),
    ("numbers beside tensors", lambda: tf.stack([1, tf.constant(2.0)]), [1, 2], "float32"),
    (
        "lists beside tensors",
        lambda: tf.convert_to_tensor([[1, tf.constant(2.0)], [3, 4]]),
        [[1, 2], [3, 4]],
        "float32",
    ),
    ("a tensor to be joined", lambda: tf.concat(tf.constant(ROWS), 0), ROWS, "float32"),
    ("a stack of nothing", lambda: tf.stack([]), [], "float32"),
    ("an empty reshape", lambda: tf.shape(tf.reshape(tf.zeros([0, 3]), [-1, 0])), [3, 0], "int32"),
    ("positions without coordinates", lambda: tf.gather_nd([1.0], np.zeros((2, 0), int)), [[1], [1]], "float32"),
    ("a mask of integers", lambda: tf.boolean_mask(ROWS, [1, 0]), [[1, 2, 3]], "float32"),
    ("lengths of floats", lambda: tf.sequence_mask([1.5], 3), [[True, False, False]], "bool"),
    ("points between integers", lambda: tf.linspace(1, 4, 3), [1, 2.5, 4], "float64"),
    ("steps to a float", lambda: tf.range(3.0), [0, 1, 2], "float32"),
    ("bounds in the wrong order", lambda: tf.clip_by_value([1.0, 5.0, 9.0], 6.0, 2.0), [6, 6, 6], "float32"),
    ("an infinite norm", lambda: tf.clip_by_global_norm([[INF, 1.0]], 3.0)[0][0], [NAN, NAN], "float32"),
    ("NaN is not largest", lambda: tf.argmax([1.0, NAN, 3.0]), 2, "int64"),
    ("NaN is not smallest", lambda: tf.argmin([NAN, 1.0, 3.0]), 1, "int64"),
    ("NaN before all", lambda: tf.searchsorted([1.0, 2.0], [NAN]), [0], "int32"),
    ("NaN behind all", lambda: tf.searchsorted([1.0, 2.0], [NAN], side="right"), [2], "int32"),
    ("NaN is not NaN", lambda: tf.unique([NAN, NAN, 1.0])[1], [0, 1, 2], "int32"),
    ("NaN is the larger", lambda: tf.maximum([NAN, 1.0], [1.0, NAN]), [NAN, NAN], "float32"),
    ("NaN is the smaller", lambda: tf.minimum([NAN, 1.0], [1.0, NAN]), [NAN, NAN], "float32"),
    ("labels out of range", lambda: tf.math.in_top_k([5, 0], [[1.0, 2.0], [3.0, NAN]], 1), [False, False], "bool"),
    ("a mean of integers", lambda: tf.reduce_mean([-1, -2]), -1, "int32"),
    ("a sum of bytes", lambda: tf.reduce_sum(np.array([200, 100], np.uint8)), 44, "uint8"),
    ("a product of integers", lambda: tf.reduce_prod([[1, 2], [3, 5]], 1), [2, 15], "int32"),
    ("a norm of integers", lambda: tf.math.reduce_euclidean_norm([1, 2]), 2, "int32"),
    ("the largest of nothing", lambda: tf.reduce_max(tf.zeros([0, 2]), axis=0), [-INF, -INF], "float32"),
    ("the smallest of no integers", lambda: tf.reduce_min(tf.zeros([0], tf.int32)), 2**31 - 1, "int32"),
    ("a mean of no integers", lambda: tf.reduce_mean(tf.zeros([0], tf.int32)), 0, "int32"),
    ("the same booleans", lambda: tf.identity([True]), [True], "bool"),
    ("a number along an axis", lambda: tf.repeat(3, 2, axis=0), [3, 3], "int32"),
    ("points between bytes", lambda: tf.linspace(np.uint8(1), np.uint8(2), 3), [1, 1.5, 2], "float32"),
    ("places of nothing", lambda: tf.searchsorted(tf.zeros([0]), tf.zeros([0])), [], "int32"),
    ("counts of no rows", lambda: tf.math.bincount(np.zeros((0, 3), int), axis=-1), np.zeros((0, 0)), "int32"),
    ("a quotient of bytes", lambda: tf.divide(np.uint8(1), np.uint8(2)), 0.5, "float32"),
    ("sums of integers", lambda: tf.cumsum([1, 2, 3]), [1, 3, 6], "int32"),
    ("a rounded integer", lambda: tf.round([1, 2]), [1, 2], "int32"),
    ("half precision", lambda: tf.sigmoid(np.zeros(1, np.float16)), [0.5], "float16"),
    ("means of segments of integers", lambda: tf.math.segment_mean([1, 2, 4], [0, 0, 2]), [1, 0, 4], "int32"),
    ("products of segments", lambda: tf.math.unsorted_segment_prod([2, 3], [0, 0], 2), [6, 1], "int32"),
    ("a map over nothing", lambda: tf.map_fn(lambda x: x * 2.0, tf.zeros([0, 3])), [], "float32"),
    ("a scan of nothing", lambda: tf.scan(lambda a, b: a + b, tf.zeros([0]), initializer=0.0), [], "float32"),
    (
        "one part for several",
        lambda: tf.vectorized_map(lambda t: t[0] * t[1], (np.ones(2), np.array([3.0]))),
        [3, 3],
        "float64",
    ),
    ("narrower elements", lambda: tf.bitcast([1.0], tf.uint8), [[0, 0, 128, 63]], "uint8"),
    ("wider elements", lambda: tf.bitcast([[1, 2]], tf.int64), [2**33 + 1], "int64"),
    ("points of Sobol's", lambda: tf.math.sobol_sample(2, 2, skip=3), [[0.375, 0.375], [0.875, 0.875]], "float32"),
    ("some of the largest", lambda: tf.math.approx_max_k([[1.0, 5.0, 3.0]], 2).indices, [[1, 2]], "int32"),
    ("some of the smallest", lambda: tf.math.approx_min_k([[1.0, 5.0, 3.0]], 2).values, [[1, 3]], "float32"),
]


@pytest.mark.parametrize(("call", "expected", "dtype"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_value_and_dtype_are_those_of_tensorflow(call: Callable[[], Any], expected: Any, dtype: str) -> None:
    same(call(), expected, dtype)


REFUSED: list[tuple[Callable[[], Any], type[Exception]]] = [
    (lambda: tf.constant(1.5, tf.int32), TypeError),
    (lambda: tf.constant([1, 2, 3], shape=(2, 2)), TypeError),
    (lambda: tf.convert_to_tensor(tf.constant(1.0), tf.float64), ValueError),
    (lambda: tf.concat([[1.0], tf.constant([1])], 0), TypeError),
    (lambda: tf.clip_by_value([1, 5], 2.5, 6.0), TypeError),
    (lambda: tf.clip_by_value(tf.constant(1.0), [0.0, 2.0], 3.0), ValueError),
    (lambda: tf.dynamic_partition([1.0, 2.0], [0, 2], 2), ValueError),
    (lambda: tf.fill([2], [1.0, 2.0]), ValueError),
    (lambda: tf.one_hot([0], 3, on_value=1.0, dtype=tf.int32), TypeError),
    (lambda: tf.one_hot([0], 3, on_value=1.0, off_value=0), TypeError),
    (lambda: tf.one_hot([0.5], 3), TypeError),
    (lambda: tf.pad(ROWS, [[1, 1]]), ValueError),
    (lambda: tf.pad(ROWS, [[2, 0], [0, 0]], "REFLECT"), ValueError),
    (lambda: tf.pad(ROWS, [[1, 0], [0, 0]], "edge"), ValueError),
    (lambda: tf.range(5, 1), ValueError),
    (lambda: tf.range(1, 5, 0), ValueError),
    (lambda: tf.reshape(ROWS, [-2, 3]), ValueError),
    (lambda: tf.tile(ROWS, [2]), ValueError),
    (lambda: tf.unstack(ROWS, num=3), ValueError),
    (lambda: tf.gather(ROWS, [0], axis=4), ValueError),
    (lambda: tf.where(True), ValueError),
    (lambda: tf.where([1, 0], [1.0, 2.0], 0.0), TypeError),
    (lambda: tf.unique([[1, 2]]), ValueError),
    (lambda: tf.math.invert_permutation([2, 0, 0]), ValueError),
    (lambda: tf.math.confusion_matrix([0, 1], [1]), ValueError),
    (lambda: tf.math.confusion_matrix([-1], [0]), ValueError),
    (lambda: tf.reduce_sum([True]), ValueError),
    (lambda: tf.math.floordiv([7], [0]), ValueError),
    (lambda: tf.math.floormod([7], [0]), ValueError),
    (lambda: tf.reduce_sum(1.0, axis=0), ValueError),
    (lambda: tf.argmax(1.0), ValueError),
    (lambda: tf.searchsorted([[1.0], [2.0]], [1.0]), ValueError),
    (lambda: tf.math.reduce_std([1, 2]), TypeError),
    (lambda: tf.map_fn(lambda x: tf.cast(x, tf.int32), np.ones(2)), ValueError),
    (lambda: tf.while_loop(lambda: False, lambda: [], []), ValueError),
    (lambda: tf.bitcast([1, 2, 3], tf.int64), ValueError),
    (lambda: tf.debugging.assert_integer([1.0]), TypeError),
    (lambda: tf.debugging.assert_proper_iterable(tf.constant([1.0])), TypeError),
    (lambda: tf.debugging.assert_same_float_dtype([tf.constant(1.0), np.float64(1.0)]), ValueError),
]


@pytest.mark.parametrize(("call", "error"), REFUSED)
def test_what_tensorflow_refuses_raises(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_gradients_at_ties_and_nan_are_those_of_tensorflow() -> None:
    same(gradient(tf.reduce_max, [1.0, NAN, 3.0]), [NAN, NAN, NAN], "float32")
    same(gradient(lambda x: tf.reduce_max(x, 1), [[1.0, NAN], [3.0, 3.0]]), [[NAN, NAN], [0.5, 0.5]], "float32")
    with np.errstate(divide="ignore", invalid="ignore"):
        same(gradient(tf.math.reduce_std, 2.0), NAN, "float32")
    same(gradient(lambda x: tf.clip_by_value(x, 6.0, 2.0), [1.0, 5.0, 9.0]), [0, 0, 0], "float32")
    of_x, of_y = gradient(tf.math.multiply_no_nan, [1.0, 3.0], [2.0, 0.0])
    same(of_x, [2, 0], "float32")
    same(of_y, [1, 3], "float32")
    of_x, of_y = gradient(tf.math.nextafter, [1.0], [2.0, 3.0])
    same(of_x, [2], "float32")
    same(of_y, [0, 0], "float32")
    assert gradient(tf.math.imag, [1.0]) is None
    same(gradient(lambda x, y: tf.identity_n([x * x, y])[0], 3.0, 1.0)[1], 0, "float32")


def test_jacobians_by_tape_and_by_differences_agree() -> None:
    x, y = np.array([1.0, 2.0]), np.array(3.0)
    for matrices in tf.test.compute_gradient(lambda x, y: x * x * y, [x, y]):
        np.testing.assert_allclose(matrices[0], [[6, 0], [0, 12]], rtol=1e-9)
        np.testing.assert_allclose(matrices[1], [[1], [4]], rtol=1e-9)


def test_a_variable_is_changed_by_positions() -> None:
    x = tf.Variable([2.0, 1.0, 0.0])
    with tf.GradientTape() as tape:
        y = x * x
        assert x.scatter_nd_update([[1]], [9.0]) is x
        z = tf.reduce_sum(y * x)
    same(tape.gradient(z, x), [12, 1 + 2 * 9, 0], "float32")
    same(x.scatter_nd_add([[1], [1]], [1.0, 2.0]).scatter_nd_sub([[0]], [1.0]), [1, 12, 0], "float32")
    same(x.sparse_read([1, 1]), [12, 12], "float32")
    same(x.gather_nd([[2]]), [0], "float32")
    with pytest.raises(tf.errors.InvalidArgumentError, match="positions 3 to 3"):
        x.scatter_nd_update([[3]], [1.0])
    with pytest.raises(ValueError, match="updates of shape"):
        x.scatter_nd_update([[1]], [[1.0]])


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("scatter_update", [2, 2]),
        ("scatter_add", [2, 5]),
        ("scatter_sub", [-2, 1]),
        ("scatter_mul", [0, 6]),
        ("scatter_div", [0, 1.5]),
        ("scatter_max", [2, 3]),
        ("scatter_min", [0, 2]),
    ],
)
def test_a_variable_is_changed_by_rows(name: str, row: list[float]) -> None:
    x = tf.Variable([[2.0, 1.0], [0.0, 3.0]])
    getattr(x, name)(tf.IndexedSlices([[2.0, 2.0]], [1]))
    same(x, [[2, 1], row], "float32")


def test_a_variable_refuses_numbers_of_another_dtype() -> None:
    x, k = tf.Variable(1.0), tf.Variable(1)
    with pytest.raises(TypeError, match="cut it off"):
        k.assign(2.5)
    with pytest.raises(TypeError, match="cut it off"):
        k.assign_add(0.5)
    with pytest.raises(TypeError, match="float64"):
        x.assign_sub(tf.constant(1.0, tf.float64))
    same(x.assign_add(2, read_value=False), 3, "float32")


def test_a_tensor_array_is_written_in_place_and_read_once() -> None:
    array = tf.TensorArray(tf.float32, size=2)
    array.write(0, 1.0)
    assert array.write(1, 2.0) is array
    same(array.stack(), [1, 2], "float32")
    same(array.read(0), 1, "float32")
    with pytest.raises(ValueError, match="clear_after_read"):
        array.read(0)
    with pytest.raises(ValueError, match="int32"):
        array.write(0, tf.constant(1))
    with pytest.raises(ValueError, match="shape"):
        array.write(0, [1.0, 2.0])
    with pytest.raises(ValueError, match="no shape is known"):
        tf.TensorArray(tf.float32, size=2).stack()
    kept = tf.TensorArray(tf.float32, size=2, clear_after_read=False).write(0, 1.0)
    same(kept.read(0) + kept.read(0) + kept.read(1), 2, "float32")
    several = tf.TensorArray(tf.float32, size=2, infer_shape=False).write(0, [1.0]).write(1, [2.0, 3.0])
    same(several.concat(), [1, 2, 3], "float32")


def test_a_function_makes_tensors_of_arrays_and_numbers() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return x, {"three": 3.0}, None

    x, numbers, nothing = f(np.ones(2))
    assert isinstance(x, tf.Tensor)
    same(numbers["three"], 3, "float32")
    assert nothing is None
    assert f.python_function(2)[0] == 2
    assert f.get_concrete_function(tf.TensorSpec([2])) is f


def test_a_differentiable_function_reads_a_function() -> None:
    @tf.function
    def square(x: Any) -> Any:
        return x * x

    @pb.differentiable
    def f(x: float) -> float:
        return square(x) + x

    assert pb.grad(f)(3.0) == 7.0


def test_a_function_converts_its_arguments_to_its_signature() -> None:
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def doubled(self, x: Any) -> Any:
            return x * 2

    same(Model().doubled([1, 2]), [2, 4], "float32")
    with pytest.raises(TypeError, match="shape"):
        Model().doubled([[1.0]])
    with pytest.raises(TypeError, match="int32"):
        Model().doubled(tf.constant([1]))


def test_names_of_dtypes_versions_and_errors() -> None:
    assert tf.dtypes.float32 is tf.float32
    assert tf.__version__ == tf.version.VERSION
    with pytest.raises(tf.errors.OpError):
        tf.reshape(ROWS, [4])
    same(tf.shape_n([ROWS, [1.0]])[0], [2, 3], "int32")
    same(tf.tuple([1.0, None])[0], 1, "float32")
