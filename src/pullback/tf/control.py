"""TensorFlow's functions that call functions: loops, branches and maps. They run as Python does, in sight of tapes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pullback.tape import Tensor, custom_gradient
from pullback.tape.nest import flatten, rebuilt
from pullback.tf.values import convert_to_tensor, number


def _tensors(structure: Any) -> Any:
    """The same structure with tensors for numbers and arrays."""
    return rebuilt(structure, [convert_to_tensor(one) for one in flatten(structure)])


def _rows(structure: Any) -> list[Any]:
    """For each position along the first axis of all tensors, the structure of their parts there."""
    whole = [convert_to_tensor(one) for one in flatten(structure)]
    if not whole or len({len(one) for one in whole}) > 1:
        raise ValueError(f"tensors of lengths {[len(one) for one in whole]} cannot be taken apart together")
    return [rebuilt(structure, [one[k] for one in whole]) for k in np.arange(len(whole[0])).tolist()]


def _stacked(structures: Sequence[Any], dtypes: Any = None) -> Any:
    """One structure of the stacks of the parts, of the dtypes. ValueError where they are of others, or no parts."""
    if not structures:
        return rebuilt(dtypes, [Tensor(np.zeros(0, one)) for one in flatten(dtypes)])
    if dtypes is not None:
        wanted = [np.dtype(getattr(one, "dtype", one)) for one in flatten(dtypes)]
        if wanted != [one.dtype for one in flatten(_tensors(structures[0]))]:
            raise ValueError(f"the function returns {structures[0]}, and dtypes {wanted} are wanted")
    columns = zip(*(flatten(_tensors(one)) for one in structures), strict=True)
    return rebuilt(structures[0], [np.stack(list(column)) for column in columns])


def cond(
    pred: Any, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None, name: Any = None
) -> Any:
    """`true_fn()` where `pred` holds, else `false_fn()`.

    >>> import pullback.tf as tf
    >>> tf.cond(tf.constant(1.0) < 2.0, lambda: 10.0, lambda: 20.0)
    <Tensor 10.0, float32>
    """
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError("true_fn and false_fn are functions without arguments")
    found = true_fn() if bool(pred) else false_fn()
    return None if found is None else _tensors(found)


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: Any = None,
) -> Any:
    """What the function of the first of `pred_fn_pairs` whose condition holds returns, else `default()`.

    exclusive: ValueError where several hold. strict: a single result stays in its list or tuple.

    >>> import pullback.tf as tf
    >>> tf.case([(tf.constant(False), lambda: 1.0)], default=lambda: 2.0)
    <Tensor 2.0, float32>
    """
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    holding = [function for condition, function in pairs if bool(condition)]
    if exclusive and len(holding) > 1:
        raise ValueError(f"{len(holding)} of the conditions hold, and one at most may")
    if not holding and default is None:
        raise ValueError("none of the conditions holds, and there is no default")
    found = _tensors((holding or [default])[0]())
    return found[0] if not strict and isinstance(found, list | tuple) and len(found) == 1 else found


def switch_case(branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: Any = None) -> Any:
    """What the function with the number `branch_index` returns, else `default()`, the last function by default.

    branch_fns: a list of functions, a dict, or a list of pairs of a number and a function.

    >>> import pullback.tf as tf
    >>> tf.switch_case(1, [lambda: 1.0, lambda: 2.0])
    <Tensor 2.0, float32>
    """
    if isinstance(branch_fns, dict):
        known = dict(branch_fns)
    elif callable(branch_fns[0]):
        known = dict(enumerate(branch_fns))
    else:
        known = dict(branch_fns)
    chosen = known.get(int(number(branch_index)), known[max(known)] if default is None else default)
    return _tensors(chosen())


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`loop_vars` after `body` has replaced them for as long as `cond` holds of them.

    Both functions take the variables as arguments. maximum_iterations: a bound of how often. back_prop: False where no
    gradient is wanted. `shape_invariants`, `parallel_iterations` and `swap_memory` have no effect.

    >>> import pullback.tf as tf
    >>> tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, 2.0 * x), (tf.constant(0), tf.constant(1.0)))
    (<Tensor 3, int32>, <Tensor 8.0, float32>)
    """
    if isinstance(loop_vars, list | tuple) and not loop_vars:
        raise ValueError("there are no variables")
    alone = not isinstance(loop_vars, list | tuple)
    values = (_tensors(loop_vars),) if alone else tuple(_tensors(one) for one in loop_vars)
    most, done = number(maximum_iterations), 0
    while (most is None or done < most) and bool(cond(*values)):
        found = body(*values)
        values = tuple(found) if isinstance(found, list | tuple) and not alone else (found,)
        if alone and isinstance(found, list | tuple) and len(found) == 1:
            values = tuple(found)
        values, done = tuple(_tensors(one) for one in values), done + 1
    if not back_prop:
        values = tuple(rebuilt(v, [Tensor(x._value) for x in flatten(v)]) for v in values)
    if alone:
        return values[0]
    return type(loop_vars)(*values) if hasattr(loop_vars, "_fields") else type(loop_vars)(values)


def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """The results of `fn` for each part of `elems` along the first axis, stacked.

    elems: a tensor, or a structure of tensors of one length, of which `fn` gets the parts. fn_output_signature, dtype:
    the dtypes of the results in their structure, those of `elems` by default; ValueError for others.
    `parallel_iterations`, `back_prop`, `swap_memory` and `infer_shape` have no effect.

    >>> import pullback.tf as tf
    >>> tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0]))
    <Tensor [1. 4.], float32>
    """
    given = dtype if fn_output_signature is None else fn_output_signature
    dtypes = rebuilt(elems, [one.dtype for one in flatten(_tensors(elems))]) if given is None else given
    return _stacked([fn(row) for row in _rows(elems)], dtypes)


def vectorized_map(fn: Callable[[Any], Any], elems: Any, fallback_to_while_loop: bool = True, warn: bool = True) -> Any:
    """`tf.map_fn(fn, elems)` with results of any dtype, for which tensors of one part serve several times.

    `fallback_to_while_loop` and `warn` have no effect.

    >>> import pullback.tf as tf
    >>> tf.vectorized_map(tf.reduce_sum, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    <Tensor [3. 7.], float32>
    """
    whole = [convert_to_tensor(one) for one in flatten(elems)]
    most = max((len(one) for one in whole), default=0)
    spread = [np.broadcast_to(one, (most, *one.shape[1:])) if len(one) == 1 else one for one in whole]
    rows = _rows(rebuilt(elems, spread))
    if not rows:
        raise ValueError("tensors without parts tell nothing about the results")
    return _stacked([fn(row) for row in rows])


def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """fn(… fn(fn(initializer, first part), second part) …, last part) for the parts of `elems` along the first axis.

    initializer: the first part by default. `parallel_iterations`, `back_prop` and `swap_memory` have no effect.

    >>> import pullback.tf as tf
    >>> tf.foldl(lambda a, x: 2 * a + x, tf.constant([1.0, 2.0, 3.0]))
    <Tensor 11.0, float32>
    """
    return _folded(fn, _rows(elems), initializer)


def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.foldl(fn, elems, initializer)` from the last part to the first.

    `parallel_iterations`, `back_prop` and `swap_memory` have no effect.

    >>> import pullback.tf as tf
    >>> tf.foldr(lambda a, x: 2 * a + x, tf.constant([1.0, 2.0, 3.0]))
    <Tensor 17.0, float32>
    """
    return _folded(fn, _rows(elems)[::-1], initializer)


def _folded(fn: Callable[[Any, Any], Any], rows: list[Any], initializer: Any) -> Any:
    if initializer is None:
        return functools.reduce(fn, rows)
    return functools.reduce(fn, rows, _tensors(initializer))


def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """All results of `tf.foldl(fn, elems, initializer)` on the way, stacked.

    reverse: from the last part to the first. `parallel_iterations`, `back_prop`, `swap_memory` and `infer_shape` have
    no effect.

    >>> import pullback.tf as tf
    >>> tf.scan(lambda a, x: a + x, tf.constant([1.0, 2.0, 3.0]))
    <Tensor [1. 3. 6.], float32>
    """
    rows = _rows(elems)[:: -1 if reverse else 1]
    found = [] if initializer is not None else [rows[0]]
    state = _tensors(initializer) if initializer is not None else rows[0]
    for row in rows if initializer is not None else rows[1:]:
        state = fn(state, row)
        found.append(state)
    dtypes = None if found else rebuilt(initializer, [one.dtype for one in flatten(_tensors(initializer))])
    return _stacked(found[:: -1 if reverse else 1], dtypes)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` with the gradient of the identity: the cotangent of its result is that of its argument.

    >>> import pullback.tf as tf
    >>> x = tf.Variable(1.7)
    >>> with tf.GradientTape() as tape:
    ...     y = 3.0 * tf.grad_pass_through(tf.floor)(x)
    >>> tape.gradient(y, x)
    <Tensor 3.0, float32>
    """

    def passed_on(*y_bars: Any, variables: Any = ()) -> Any:
        return (y_bars, [None] * len(variables)) if variables else y_bars

    @functools.wraps(f)
    def call(*arguments: Any, **keywords: Any) -> Any:
        @custom_gradient
        def passed(*given: Any) -> Any:
            return f(*given, **keywords), passed_on

        return passed(*arguments)

    return call


def py_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """`func(*inp)`: tapes see what it computes with tensors. `Tout` is the dtype, or the dtypes, of what it returns.

    >>> import pullback.tf as tf
    >>> tf.py_function(lambda x: x * x, [3.0], tf.float32)
    <Tensor 9.0, float32>
    """
    assert func is not None, "a function"
    found = func(*[convert_to_tensor(one) for one in inp])
    if found is None or Tout is None:
        return found
    if isinstance(Tout, list | tuple):
        return [convert_to_tensor(one, dtype) for one, dtype in zip(found, Tout, strict=True)]
    return convert_to_tensor(found, Tout)


def numpy_function(
    func: Callable[..., Any] | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`func(*inp)` for arrays of NumPy, of which no tape sees anything. `Tout`: dtypes. `stateful` has no effect.

    >>> import numpy as np, pullback.tf as tf
    >>> tf.numpy_function(np.sinh, [0.0], tf.float32)
    <Tensor 0.0, float32>
    """
    assert func is not None, "a function"
    given = [convert_to_tensor(one).numpy() for one in inp]
    return py_function(lambda *_: func(*given), (), Tout)
