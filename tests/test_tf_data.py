"""`tf.data.Dataset`: transformations, how many elements there are, and their dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback.tf as tf

Dataset = tf.data.Dataset
FIVE = Dataset.range(5)


def numbers(dataset: Any) -> list[Any]:
    """The elements as lists."""
    return [one.numpy().tolist() for one in dataset]


CARDINALITIES = [
    (FIVE.batch(2), 3),
    (FIVE.batch(2, drop_remainder=True), 2),
    (FIVE.repeat(), tf.data.INFINITE_CARDINALITY),
    (FIVE.repeat(3).skip(2), 13),
    (FIVE.repeat().take(7), 7),
    (FIVE.filter(lambda x: x > 1), tf.data.UNKNOWN_CARDINALITY),
    (FIVE.filter(lambda x: x > 1).take(2).repeat(2), tf.data.UNKNOWN_CARDINALITY),
    (Dataset.zip((FIVE, FIVE.take(2))), 2),
    (FIVE.concatenate(FIVE).enumerate().shuffle(3).prefetch(1).cache(), 10),
    (FIVE.window(3, 1, drop_remainder=True), 3),
    (FIVE.window(2), 3),
    (FIVE.shard(2, 1), 2),
    (FIVE.flat_map(lambda x: FIVE), -2),
    (Dataset.from_generator(lambda: iter([1]), output_types=tf.int32), -2),
]


@pytest.mark.parametrize(("dataset", "count"), CARDINALITIES, ids=range(len(CARDINALITIES)))
def test_cardinality(dataset: Any, count: int) -> None:
    assert int(dataset.cardinality()) == count
    if count >= 0:
        assert len(dataset) == len(list(dataset)) == count
    else:
        with pytest.raises(TypeError, match="infinite|unknown".split("|")[-count - 1]):
            len(dataset)


def test_generators_have_the_dtypes_and_shapes_that_were_said() -> None:
    def pairs() -> Any:
        for k in range(2):
            yield k, [1.5] * k

    (first, _), (_, second) = Dataset.from_generator(pairs, output_types=(tf.int64, tf.float32))
    assert (first.dtype, second.dtype, second.shape) == (np.int64, np.float32, (1,))
    signature = tf.TensorSpec((), tf.float32), tf.TensorSpec((None,), tf.float64)
    assert [x.dtype for x in next(iter(Dataset.from_generator(pairs, output_signature=signature)))] == [
        np.float32,
        np.float64,
    ]
    wrong = Dataset.from_generator(lambda: iter([[1, 2], [3]]), output_signature=tf.TensorSpec((2,), tf.int32))
    with pytest.raises(TypeError, match="shape"):
        list(wrong)


def test_interleaved_blocks() -> None:
    repeated = Dataset.range(1, 6).interleave(lambda x: Dataset.from_tensors(x).repeat(6), 2, block_length=4)
    expected = "1 1 1 1 2 2 2 2 1 1 2 2 3 3 3 3 4 4 4 4 3 3 4 4 5 5 5 5 5 5"
    assert numbers(repeated) == [int(k) for k in expected.split()]
    uneven = Dataset.range(3).interleave(lambda x: Dataset.range(x + 2), cycle_length=3)
    assert numbers(uneven) == [0, 0, 0, 1, 1, 1, 2, 2, 3]


def test_padded_batches() -> None:
    rows = Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
    assert numbers(rows.padded_batch(2)) == [[[1, 0], [2, 2]], [[3, 3, 3]]]
    assert numbers(rows.padded_batch(3, [4], -1)) == [[[1, -1, -1, -1], [2, 2, -1, -1], [3, 3, 3, -1]]]
    pairs = rows.map(lambda row: (row, 7)).padded_batch(2, ([None], []), drop_remainder=True)
    assert [(a.shape, b.numpy().tolist()) for a, b in pairs] == [((2, 2), [7, 7])]
    with pytest.raises(ValueError, match="fit"):
        list(rows.padded_batch(2, [1]))


def test_structures() -> None:
    ((a, b), c) = next(iter(Dataset.zip(((FIVE, FIVE.skip(1)), FIVE.skip(2)))))
    assert (int(a), int(b), int(c)) == (0, 1, 2)
    assert [int(row["v"]) for row in Dataset.zip({"u": FIVE, "v": FIVE.skip(3)})] == [3, 4]
    windows = Dataset.from_tensor_slices(([1, 2, 3], [4, 5, 6])).window(2)
    assert [(numbers(x), numbers(y)) for x, y in windows] == [([1, 2], [4, 5]), ([3], [6])]
    first, second = next(iter(FIVE.map(lambda x: [x, x + 1])))
    assert (int(first), int(second)) == (0, 1)
    spec = Dataset.from_tensor_slices((np.ones((4, 2)), [1, 2, 3, 4])).element_spec
    assert [(x.shape, x.dtype) for x in spec] == [((2,), np.float64), ((), np.int32)]


def test_further_transformations() -> None:
    assert numbers(FIVE.scan(np.int64(0), lambda s, x: (s + x, s + x))) == [0, 1, 3, 6, 10]
    assert numbers(FIVE.take_while(lambda x: x < 3)) == [0, 1, 2]
    assert numbers(FIVE.shard(2, 1)) == [1, 3]
    assert numbers(Dataset.from_tensor_slices([1, 2, 1, 3]).unique()) == [1, 2, 3]
    assert numbers(FIVE.batch(2).rebatch(3)) == [[0, 1, 2], [3, 4]]
    assert int(FIVE.take(1).get_single_element()) == 0
    assert numbers(Dataset.counter(5, 2).take(2)) == [5, 7]
    with pytest.raises(ValueError, match="at least one"):
        FIVE.batch(0)


def test_what_keras_makes_of_sequences_and_datasets() -> None:
    pad = tf.keras.utils.pad_sequences
    assert pad([[1], [2, 3, 4]], maxlen=2).tolist() == [[0, 1], [3, 4]]
    assert pad([[1], [2, 3, 4]], 2, padding="post", truncating="post", value=9).tolist() == [[1, 9], [2, 3]]
    assert pad([[[1, 2]], [[3, 4], [5, 6]]]).shape == (2, 2, 2)
    left, right = tf.keras.utils.split_dataset(np.arange(10), right_size=0.3)
    assert (numbers(left), numbers(right)) == (list(range(7)), [7, 8, 9])


def test_an_initialiser_draws_the_same_numbers_each_time() -> None:
    start = tf.keras.initializers.GlorotUniform()
    assert np.array_equal(start((3, 3)), start((3, 3)))
    assert not np.array_equal(start((3, 3)), tf.keras.initializers.GlorotUniform()((3, 3)))
    fresh = tf.random_normal_initializer()
    assert not np.array_equal(fresh((3, 3)), fresh((3, 3)))
