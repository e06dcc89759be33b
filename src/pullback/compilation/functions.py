"""A derivative Function as something to call: interpreted as it reads, or compiled by Numba."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import ModuleType
from typing import Any

import numba
from numba.core.errors import LoweringError, NumbaError

from pullback.analysis.sizes import is_guard
from pullback.compilation.as_python import computing_as_numpy, function_of
from pullback.compilation.cache.helpers import HelperFiles
from pullback.compilation.cache.machine_code import keep
from pullback.compilation.explained import explained
from pullback.compilation.freed_memory import reuse_freed_memory
from pullback.compilation.gates import Gate, gate_to
from pullback.compilation.memory import Memory
from pullback.compilation.modules import load_module
from pullback.compilation.options import Options
from pullback.compilation.progress import compiling
from pullback.compilation.turns import MAKING, collected_later, interrupts_end_it
from pullback.emission import parts
from pullback.emission.module import emit_module
from pullback.emission.names import Forward, name_classes
from pullback.ir import primitives
from pullback.ir.external import calls_outside
from pullback.ir.nodes import Call, Effect, For, Function, While, is_scalar, results_of, walk
from pullback.passes.entries import Settings
from pullback.passes.running import run
from pullback.passes.scalar.sine_cosine import pair
from pullback.passes.scalar.wide_integers import is_wide
from pullback.runtime.codegen.compiler import Compiler
from pullback.runtime.codegen.kept_callees import keep_in
from pullback.runtime.python.recursion_depth import can_go_deeper, on_deep_stack
from pullback.runtime.refusals import KeepsTooMuch, ResultNotFinite, SizesDiffer
from pullback.transform.entry_condition import entry_condition
from pullback.transform.not_finite import has_checks
from pullback.transform.sweeps import NONE

keep_in(HelperFiles())


def is_brief(function: Function) -> bool:
    """Whether a function takes less time than it takes to let other threads run: numbers alone, and no loop."""
    statements = list(walk(function.body))
    values = [*function.parameters, *(value for statement in statements for value in results_of(statement))]
    return all(map(is_scalar, values)) and not any(isinstance(s, For | While | Call) for s in statements)


def _compile(dispatcher: Any, types: tuple[Any, ...]) -> None:
    """Compile for these types. NumbaError whatever Numba's own code for a function raises."""
    try:
        dispatcher.compile(types)
    except NumbaError:
        raise
    except Exception as error:
        raise LoweringError(f"{type(error).__name__}: {error}") from error


class Compiled:
    """A generated function. `text` is what people read, `machine_text` what Numba compiles.

    The last `outs` of its parameters are arrays that it writes results into.
    forms: gives the function in another form, where this one serves not all arguments; see `Request`. lowered: whether
    loops stand in place of array statements.
    tuple_from: the number of the first result of those that are returned in a tuple of their own.
    memory: tells for each call whether a form that keeps less serves it; None where nothing would keep less.
    forward: the function whose residuals this one takes, if it is a backward function.
    loaded: the text as a plain Python function, once that was asked for.
    traced: gives the form that raises at the first number that is not finite; None for that form itself.
    """

    def __init__(
        self,
        function: Function,
        options: Options,
        outs: int = 0,
        forms: Callable[[Any], Compiled] | None = None,
        tuple_from: int | None = None,
        memory: Memory | None = None,
        forward: Forward | None = None,
        lowered: bool = False,
        traced: Callable[[], Compiled] | None = None,
    ) -> None:
        self.name = function.name
        self.forward = forward
        self.options = options
        self.outs = outs
        self.lowered = lowered
        assumed = ["assumptions"] if self.lowered else []
        self.function = run(function, self.settings, *assumed, "copies")
        self.tuple_from = tuple_from
        self.memory = memory
        self.forms = forms or (lambda form: self)
        self.traced = traced
        self.loaded: Callable[..., Any] | None = None
        self._dispatcher: Any = None
        self._key: str | None = None

    @property
    def text(self) -> str:
        divided = self.lowered and not self.options.jit
        function = self.machine_function if divided else self.shown.function
        return emit_module(
            [function],
            compiled=False,
            exact=self.options.exact,
            tuple_from=self.tuple_from,
            divided=divided,
            forward=self.forward,
        )

    def general(self) -> Compiled:
        """The form that serves arguments of all sizes."""
        return self.forms("general")

    def serves(self, arguments: tuple[Any, ...]) -> bool:
        """Whether the sizes of the arguments are as this form assumes."""
        return self.condition is None or self.condition.interpreted(*arguments) is True

    @cached_property
    def condition(self) -> Compiled | None:
        """A function of the same arguments that returns whether this form serves them.

        None where it serves all arguments, or where that takes more than arithmetic.
        """
        condition = entry_condition(self.function)
        return None if condition is None else Compiled(condition, self.options)

    @property
    def in_njit(self) -> Compiled:
        """What compiled code calls: it looks at no limit of memory, and serves all arguments or has a condition."""
        is_guarded = any(map(is_guard, self.function.body.statements))
        form = self.general() if is_guarded and self.condition is None else self
        return form if form.memory is None else form.memory.make(NONE)

    def too_wide(self, arguments: Sequence[Any]) -> OverflowError | None:
        """The error for an integer that 64 bits with a sign cannot hold; Numba takes some of them without one."""
        pairs = zip(self.function.parameters, arguments, strict=False) if self.options.jit else ()
        wide = next((p.name for p, a in pairs if type(a) is int and is_wide(a)), None)
        if wide is None:
            return None
        return OverflowError(f"the argument '{wide}' does not fit into 64 bits: pass a float, or use jit=False")

    def within_limit(self, arguments: tuple[Any, ...]) -> Compiled:
        """The form that keeps as much for these arguments as it may: this one, or one with loops in segments."""
        if self.memory is None:
            return self
        made: Compiled = self.memory.served(self, arguments[: len(arguments) - self.outs])
        return made

    @property
    def shown(self) -> Compiled:
        """The form that people read: loops stand in place of array statements only where that was asked for."""
        return self.forms("arrays") if self.options.jit and self.lowered else self

    @property
    def settings(self) -> Settings:
        return self.options.settings(self.lowered)

    @property
    def arranged(self) -> Function:
        """The function arranged for the machine."""
        function = run(self.function, self.settings, "arrangement")
        return pair(function) if len(function.body.statements) > parts.LONGEST else function

    @property
    def machine_function(self) -> Function:
        """The function as it is compiled: arranged for the machine, with checks of its indices."""
        return run(self.arranged, self.settings, "checks")

    @property
    def machine_text(self) -> str:
        return self.emitted(self.machine_function)

    def emitted(self, function: Function, divided: bool = True) -> str:
        """The text of the function in this form; divided: a long one in parts."""
        vector = self.options.math == "vector"
        function = run(function, self.settings, "text")
        return emit_module(
            [function],
            compiled=True,
            vector=vector,
            exact=self.options.exact,
            tuple_from=self.tuple_from,
            divided=divided,
            fastmath=self.options.flags,
        )

    @property
    def interpreted(self) -> Callable[..., Any]:
        """The numpy-level text as a plain Python function, for all arguments where compiled code runs otherwise."""
        if self.replayed is not self:
            return self.replayed.interpreted
        with MAKING:
            if self.loaded is None:
                classes = name_classes([self.function])
                self.loaded = getattr(load_module(self.name, self.text, "interpreted", classes), self.name)
            return self.loaded

    @property
    def replayed(self) -> Compiled:
        """The form that runs as Python: to find out about an error, where this one is compiled."""
        return self.general() if self.options.jit else self

    @property
    def dispatcher(self) -> Any:
        """The loop-level text as a Numba dispatcher; it begins with a look at the memory that a call will take."""
        if self._dispatcher is None:
            with MAKING:
                self._dispatcher = self._dispatcher or self.made()
        return self._dispatcher

    def made(self) -> Any:
        """A new dispatcher."""
        reuse_freed_memory()
        flags = self.options.numba(nogil=not is_brief(self.function))
        function = self.arranged if self.memory is None else self.memory.guarded(self.arranged)
        function = run(function, self.settings, "checks")
        text, key = self.emitted(function), f"{self.options.key()} {flags['nogil']}"
        module = load_module(self.name, text, key, name_classes([function]), machine=True)
        made = numba.njit(pipeline_class=Compiler, **flags)(function_of(module, self.name))
        self._key = module.__key__
        return keep(made, self.name, self._key) if self.options.cache else made

    @property
    def key(self) -> str | None:
        """A hash of what is compiled, the same in every process; None where another one could not find it."""
        return self._key if self.dispatcher is not None else None

    @property
    def module(self) -> tuple[ModuleType, str | None]:
        """The module that is compiled, and the key of its machine code; None where that needs this process."""
        made = self.dispatcher.py_func
        return sys.modules[made.__module__], self.key if self.options.cache else None

    @property
    def mutated(self) -> tuple[int, ...]:
        """The numbers of the arguments that the user's own function changes."""
        return tuple(k for k in self.function.mutated if k < len(self.function.parameters) - self.outs)

    @property
    def prints(self) -> bool:
        """Whether a second run would be seen."""
        return self.calls_outside or any(
            isinstance(s, Effect) and s.function in primitives.PRINTING for s in walk(self.function.body)
        )

    @property
    def may_run_again(self) -> bool:
        """Whether a call that has raised an error, in compiled code, may be made again."""
        return self.options.jit and not self.mutated and not self.outs and not self.prints

    @property
    def calls_outside(self) -> bool:
        """Whether it calls functions that are not read."""
        return any(map(calls_outside, (self.function.body, *(callee.body for callee in self.function.callees))))

    @cached_property
    def looks(self) -> bool:
        """Whether it raises where its results are not finite."""
        return has_checks(self.function)

    @property
    def has_gate(self) -> bool:
        """Whether calls need nothing but machine code: arguments that are changed have to be looked at before."""
        return self.options.jit and not numba.config.DISABLE_JIT and not self.mutated

    @property
    def title(self) -> str:
        """What is compiled, and where it stands in the user's text."""
        place = self.function.location
        return f"{self.name} ({place.file}:{place.line})" if place is not None else self.name

    @property
    def count(self) -> int:
        """How many results there are."""
        return len(self.function.results)

    def gate(self, arguments: Sequence[Any]) -> Gate:
        """What runs the machine code for arguments of these types, and raises Miss for all others."""
        return gate_to(self.overload(arguments), self.dispatcher.py_func)

    def overload(self, arguments: Sequence[Any]) -> Any:
        """What Numba has compiled for arguments of these types."""
        dispatcher = self.dispatcher
        types = tuple(map(dispatcher.typeof_pyval, arguments))
        if types not in dispatcher.overloads:
            with interrupts_end_it(), compiling(self.title):
                _compile(dispatcher, types)
        return dispatcher.overloads[types]

    @property
    def is_compiled(self) -> bool:
        """Whether there is machine code, for arguments of some types."""
        return self._dispatcher is not None and bool(self._dispatcher.overloads)

    @property
    def entry(self) -> Callable[..., Any]:
        """What a call from Python runs when all is well."""
        if not self.options.jit:
            return computing_as_numpy(self.interpreted)
        return computing_as_numpy(self.dispatcher) if numba.config.DISABLE_JIT else self.dispatcher

    def call(self, *arguments: Any) -> Any:
        """What the entry returns; see `restoring`."""
        if self.options.jit and not numba.config.DISABLE_JIT and not self.is_compiled:
            with collected_later():
                self.overload(arguments)
        if not self.looks:
            return self.entry(*arguments)
        with self.restoring(arguments):
            return self.entry(*arguments)

    @contextmanager
    def restoring(self, arguments: Sequence[Any]) -> Iterator[None]:
        """Where a result is not finite, the arguments that the function changes are as they were: it runs once more."""
        before = {k: arguments[k].copy() for k in self.mutated} if self.looks else {}
        try:
            yield
        except ResultNotFinite:
            for k, array in before.items():
                arguments[k][...] = array
            raise

    def served(self, *arguments: Any) -> Any:
        """What the entry returns, or another form where this one refuses; errors are those that the user should see."""
        try:
            return self.call(*arguments)
        except Exception as error:
            return self.recover(error, arguments)

    def results_of(self, returned: Any) -> tuple[Any, ...]:
        """All results, one after the other, of what the entry has returned."""
        count = len(self.function.results)
        if self.tuple_from is not None:
            return returned if self.tuple_from == 0 else (*returned[:-1], *returned[-1])
        if count == 0:
            return ()
        return (returned,) if count == 1 else returned

    def recover(self, error: Exception, arguments: tuple[Any, ...]) -> Any:
        """The result of a call whose entry has raised an error: that of another form, or the user's error."""
        if isinstance(error, RecursionError) and self.may_run_again and can_go_deeper():
            return on_deep_stack(lambda: self.call(*arguments))
        other = self.other(error, arguments)
        try:
            if isinstance(error, ZeroDivisionError) and self.may_run_again and numba.config.DISABLE_JIT:
                return computing_as_numpy(self.interpreted)(*arguments)  # Numba divides Python's integers as NumPy
        except Exception as again:
            error, other = again, self.other(again, arguments)
        if other is self:
            raise explained(self, error, arguments) from None
        try:
            return other.call(*arguments)
        except Exception as again:
            return other.recover(again, arguments)

    def other(self, error: Exception, arguments: tuple[Any, ...]) -> Compiled:
        """The form that serves a call which this one refused by an error; itself if there is none."""
        if isinstance(error, SizesDiffer):
            other: Compiled = self.forms("other sizes")
            return other.within_limit(arguments)
        if isinstance(error, ResultNotFinite) and self.traced is not None:
            return self.traced().within_limit(arguments)
        if isinstance(error, KeepsTooMuch) and self.memory is not None:  # less is free than a moment before
            made: Compiled = self.memory.make(NONE)
            return made
        return self
