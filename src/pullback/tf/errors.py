"""`tf.errors`: the exceptions of Python that stand for TensorFlow's.

What TensorFlow raises as InvalidArgumentError is a ValueError here, and may be caught under either name; OpError, which
stands for them all, is Exception.

>>> import pullback.tf as tf
>>> try:
...     tf.debugging.assert_positive([1.0, -1.0])
... except tf.errors.InvalidArgumentError as error:
...     print(error)
assert_positive: 1 of 2 elements fail, the first at (1,): -1.0
"""

InvalidArgumentError = ValueError
FailedPreconditionError = RuntimeError
NotFoundError = LookupError
OutOfRangeError = StopIteration
UnimplementedError = NotImplementedError
ResourceExhaustedError = MemoryError
OpError = Exception
AlreadyExistsError = FileExistsError
DeadlineExceededError = TimeoutError
PermissionDeniedError = PermissionError
CancelledError = InterruptedError
AbortedError = DataLossError = InternalError = UnauthenticatedError = UnavailableError = UnknownError = RuntimeError


class PositionError(IndexError, ValueError):
    """A position that is not there: InvalidArgumentError of TensorFlow, IndexError of Python.

    >>> import pullback.tf as tf
    >>> tf.gather([1, 2], 5)
    Traceback (most recent call last):
    ...
    pullback.tf.errors.PositionError: positions 5 to 5 in an axis of 2
    """


__all__ = [
    "AbortedError",
    "AlreadyExistsError",
    "CancelledError",
    "DataLossError",
    "DeadlineExceededError",
    "FailedPreconditionError",
    "InternalError",
    "InvalidArgumentError",
    "NotFoundError",
    "OpError",
    "OutOfRangeError",
    "PermissionDeniedError",
    "PositionError",
    "ResourceExhaustedError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnimplementedError",
    "UnknownError",
]
