"""`ForwardAccumulator`: tangents are pushed through the operations while they are computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from pullback.errors import ShapeError
from pullback.functions import is_constant
from pullback.runtime import masked_product
from pullback.tape.gradient_tape import GradientTape
from pullback.tape.nest import flatten, rebuilt
from pullback.tape.record import is_beyond, recorded, recorded_beyond, tensors_in
from pullback.tape.recorders import active, enter, leave, only
from pullback.tape.requests import UnconnectedGradients, checked, zeros_of, zeros_wanted
from pullback.tape.sweep import fitted
from pullback.tape.tensor import Tensor, as_recorded
from pullback.tape.variable import elements


class ForwardAccumulator:
    """Computes Jacobian-vector products: the derivatives of what its block computes along `tangents`.

    primals: tensors and variables, in nested lists, tuples and dicts. tangents: the same structure, each in the shape
    of its primal. Raises ValueError for a primal that is given twice, another structure, another shape, and for a
    tensor of another dtype; arrays are cast.

    >>> import numpy as np, pullback as pb
    >>> from pullback.tape import ForwardAccumulator
    >>> x = pb.constant([1.0, 2.0])
    >>> with ForwardAccumulator(x, pb.constant([1.0, 0.0])) as accumulator:
    ...     y = np.sum(x ** 3)
    >>> accumulator.jvp(y)
    <Tensor 3.0, float64>
    """

    persistent = True

    def __init__(self, primals: Any, tangents: Any) -> None:
        given, along = checked(flatten(primals), "primal"), flatten(tangents)
        if len(given) != len(along) or isinstance(primals, Tensor) == isinstance(tangents, list | tuple | dict):
            raise ValueError("the tangents do not have the structure of the primals")
        self.tangents: dict[int, Tensor] = {}
        self.recording = False
        for x, x_dot in zip(given, along, strict=True):
            if x._key in self.tangents:
                raise ValueError("a primal is given twice")
            if isinstance(x_dot, Tensor) and x_dot.dtype != x.dtype:
                raise ValueError(f"a tangent is of {x_dot.dtype}, its primal of {x.dtype}: cast it")
            tangent = as_recorded(x_dot) if isinstance(x_dot, Tensor) else Tensor(elements(x_dot, x.dtype))
            if tangent.shape != x.shape:
                raise ShapeError(f"a tangent has shape {tangent.shape}, its primal {x.shape}")
            self.tangents[x._key] = tangent

    def __enter__(self) -> ForwardAccumulator:
        if self.recording:
            raise ValueError("the accumulator is recording already: it cannot be entered within itself")
        enter(self)
        self.recording = True
        return self

    def __exit__(self, *_: object) -> None:
        leave(self)
        self.recording = False

    def jvp(self, primals: Any, unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE) -> Any:
        """The tangents of results, in their structure; None or zeros for those that are not connected."""
        zero = zeros_wanted(unconnected_gradients)
        found = []
        for y in checked(flatten(primals), "result"):
            y_dot = self.tangents.get(y._key)
            found.append(zeros_of(y.shape, y) if y_dot is None and zero else y_dot)
        return rebuilt(primals, found)

    def is_connected(self, tensor: Tensor) -> bool:
        """Whether the tensor has a tangent."""
        return tensor._key in self.tangents

    def note_escape(self, tensor: Tensor, how: str) -> None:
        """Nothing is remembered of it."""

    def note_reading(self, tensor: Tensor, followed: bool) -> None:
        """Nothing is remembered of it."""

    def record(self, function: Any, arguments: tuple[Any, ...], result: Any) -> None:
        """Push the tangents of the arguments through a call. Those who were entered before see how."""
        inputs = [(place, x) for place, x in tensors_in(arguments) if x._key in self.tangents]
        results = result if isinstance(result, tuple) else (result,)
        if not inputs or all(y.dtype.kind in "biu" for y in results):
            return
        if is_constant(function) and not any(is_beyond(function, y, inputs) for y in results):
            return
        outer = active()[: active().index(self)]
        with only(outer):
            beyond = any(is_beyond(function, y, inputs) for y in results)
            record = (
                recorded_beyond(function, inputs, result) if beyond else recorded(function, arguments, result, inputs)
            )
            product = masked_product if function is masked_product else np.multiply
            self._push(record, [x for _, x in inputs], results, product)

    def _push(self, record: Any, inputs: list[Tensor], results: tuple[Tensor, ...], product: Any) -> None:
        """A pullback is linear in its cotangent u: its own derivative by u along the tangents is what they become.

        product: what multiplies tangents by partial derivatives; that of a masked product is masked again.
        """
        pullback = record[0]
        if any(y.dtype.kind not in "fbiu" for y in results):
            pullback.run()  # raises: no rule knows of complex numbers
        x_dots = [self.tangents[x._key] for x in inputs]
        units = tuple(Tensor(np.ones(y.shape, y.dtype)[()]) for y in results)
        kept = record[pullback.end :]
        if pullback.elementwise:
            partials = pullback.run(units[0], *kept)
            terms = [product(p, x_dot) for p, x_dot in zip(partials, x_dots, strict=True) if p is not None]
            if terms:
                self.tangents[results[0]._key] = sum(terms[1:], terms[0])
            return
        if len(results) > 1:
            kept = kept[:-1]
        with GradientTape() as tape:
            tape.watch(list(units))
            x_bars = pullback.run(units if len(results) > 1 else units[0], *kept)
            x_bars = tuple(
                x_bar if x_bar is None else fitted(x_bar, *fit) for x_bar, fit in zip(x_bars, record[1], strict=True)
            )
        pairs = [(x_bar, x_dot) for x_bar, x_dot in zip(x_bars, x_dots, strict=True) if isinstance(x_bar, Tensor)]
        y_dots = tape.gradient([x_bar for x_bar, _ in pairs], list(units), [x_dot for _, x_dot in pairs])
        for y, y_dot in zip(results, y_dots, strict=True):
            if y_dot is not None:
                self.tangents[y._key] = y_dot
