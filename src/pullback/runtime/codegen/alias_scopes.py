"""LLVM is told which arrays share no memory: those that a function makes itself, with one another and with all others.

LLVM sees the addresses of arrays, not where they come from. It compares the first and the last address of each pair of
arrays before a loop in which one of the two is written, for up to eight pairs, and compiles the loop twice; with more
pairs it does not vectorise it. Each element that is read or written gets a *scope* here, that of the family of arrays
that may share memory with it, and a list of the scopes that it is not in (LLVM's `!alias.scope` and `!noalias`).

A family is found among the variables of Numba's form of a function: what is assigned, taken as a part or chosen where
paths meet is in the family of what it comes from, and what a function returns in that of its arguments, unless it is
known to make a new array. Arguments, globals and whatever else may hold arrays are one family, which has no scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from llvmlite import ir as ll
from numba import types
from numba.core import ir
from numba.core.lowering import Lower

Function = TypeVar("Function", bound=Callable[..., Any])

_MAKING = {"empty", "zeros", "ones", "full", "empty_like", "zeros_like", "ones_like", "full_like"}
"""Functions that make a new array; `array.copy`, a method, is another."""
_READING = {"getitem", "static_getitem", "typed_getitem"}
_PACKAGES = {"numpy", "pullback"}
"""Those whose functions keep no array that they are given, and of whom the names above are."""
_WITHOUT_ARRAYS = (
    types.Number,
    types.Boolean,
    types.NoneType,
    types.UnicodeType,
    types.StringLiteral,
    types.Function,
    types.Module,
    types.DType,
    types.NumberClass,
    types.RangeType,
    types.RangeIteratorType,
    types.SliceType,
    types.EllipsisType,
)
_ELSEWHERE = ""
"""The name under which arrays of other functions are known."""


_APART = "__pullback_apart__"
"""The attribute of a function with the names of such parameters as `apart` tells of."""


def apart(*parameters: str) -> Callable[[Function], Function]:
    """Tell of a function that the arrays it is given under these names share no memory with any others."""

    def told(function: Function) -> Function:
        setattr(function, _APART, frozenset(parameters))
        return function

    return told


class Families:
    """Families of variables whose arrays may share memory: a partition, by union and find.

    typeof: gives the type of a variable. function: that of the variables; see `apart`. Those of its module are ours.
    """

    def __init__(self, blocks: Iterable[Any], typeof: Any, function: Any) -> None:
        self.typeof = typeof
        self.apart: frozenset[str] = getattr(function, _APART, frozenset())
        self.modules = {*_PACKAGES, function.__module__}
        self.parents: dict[str, str] = {}
        statements = [statement for block in blocks for statement in block.body]
        self.items: dict[str, list[Any]] = {}
        for target, items in self.tuples_in(statements):
            self.items.setdefault(target, []).extend(items)
        for statement in statements:
            self.note(statement)

    def of(self, name: str) -> str | None:
        """The family of a variable, by the name of a member; None of that of arrays of other functions."""
        root = self.root(name)
        return None if root == self.root(_ELSEWHERE) else root

    def root(self, name: str) -> str:
        while name in self.parents:
            name = self.parents[name]
        return name

    def unite(self, names: Iterable[str]) -> None:
        first, *others = names
        for other in others:
            one, root = self.root(first), self.root(other)
            if one != root:
                self.parents[root] = one

    def holds_arrays(self, name: str) -> bool:
        return holds_arrays(self.typeof(name))

    def note(self, statement: Any) -> None:
        """Take in a statement."""
        if isinstance(statement, ir.Assign):
            self.assigned(statement.target.name, statement.value)
        elif isinstance(statement, ir.SetItem | ir.StaticSetItem):
            stored = [statement.target.name, statement.value.name]
            if not isinstance(self.typeof(statement.target.name), types.Array) and all(map(self.holds_arrays, stored)):
                self.unite(stored)
        elif not isinstance(statement, ir.Del | ir.Branch | ir.Jump | ir.Return | ir.Raise | ir.StaticRaise):
            self.unite([_ELSEWHERE, *self.holding(statement.list_vars())])

    def tuples_in(self, statements: Iterable[Any]) -> Iterator[tuple[str, list[Any]]]:
        """The variables that are assigned tuples, and their items: what is only returned makes no family of them."""
        for statement in statements:
            if isinstance(statement, ir.Assign) and self.makes_tuple(statement.value):
                value = statement.value
                yield statement.target.name, value.items if value.op == "build_tuple" else [value.value]

    def makes_tuple(self, value: Any) -> bool:
        """Whether a tuple is made of its items, or of another one that is returned."""
        if not isinstance(value, ir.Expr):
            return False
        is_cast = value.op == "cast" and isinstance(self.typeof(value.value.name), types.BaseTuple)
        return bool(is_cast or value.op == "build_tuple")

    def holding(self, variables: Iterable[Any]) -> Iterator[str]:
        """The names of variables that may hold arrays, and of the items of tuples among them."""
        for variable in variables:
            if self.holds_arrays(variable.name):
                yield variable.name
                yield from self.holding(self.items.get(variable.name, ()))

    def assigned(self, target: str, value: Any) -> None:
        if self.makes_tuple(value):
            return
        if not isinstance(value, ir.Var | ir.Expr):
            is_apart = isinstance(value, ir.Arg) and value.name in self.apart
            if self.holds_arrays(target) and not is_apart:
                self.unite([_ELSEWHERE, target])
        elif isinstance(value, ir.Expr) and value.op == "call":
            self.returned(target, value)
        elif self.holds_arrays(target):
            self.unite([target, *self.holding([value] if isinstance(value, ir.Var) else value.list_vars())])

    def returned(self, target: str, call: Any) -> None:
        """What a call returns. A function of NumPy or of ours keeps no array that it is given; another one might."""
        function = self.typeof(call.func.name)
        given = list(self.holding(call.list_vars()))
        if not self.is_known(function) or not all(_is_plain(self.typeof(name)) for name in given):
            self.unite([_ELSEWHERE, *given])
        if self.holds_arrays(target) and not _makes_array(function):
            self.unite([target, *given])
            if not self.is_known(function):
                self.unite([_ELSEWHERE, target])

    def is_known(self, function: Any) -> bool:
        """Whether a function, or a method of an array, is one of NumPy or of ours."""
        if isinstance(function, types.BoundFunction):
            return isinstance(function.this, types.Array)
        module = getattr(getattr(function, "typing_key", None), "__module__", None) or ""
        return isinstance(function, types.Function) and not self.modules.isdisjoint({module, module.split(".")[0]})


def _is_plain(type_: Any) -> bool:
    """Whether a value is an array, or a tuple of them, and no container that could be changed."""
    if isinstance(type_, types.BoundFunction):
        return isinstance(type_.this, types.Array)
    return isinstance(type_, types.Array) or (isinstance(type_, types.BaseTuple) and all(map(_is_plain, type_)))


def _makes_array(function: Any) -> bool:
    key = getattr(function, "typing_key", None)
    if isinstance(function, types.BoundFunction):
        return bool(key == "array.copy")
    package = getattr(key, "__module__", "").partition(".")[0]
    return package in _PACKAGES and getattr(key, "__name__", "") in _MAKING


def holds_arrays(type_: Any) -> bool:
    """Whether a value of a type may be an array, or have one in it."""
    match type_:
        case types.BaseTuple():
            return any(map(holds_arrays, type_))
        case types.Pair():
            return holds_arrays(type_.first_type) or holds_arrays(type_.second_type)
        case types.Optional():
            return holds_arrays(type_.type)
        case types.Omitted() | types.Undefined():
            return False
        case types.Literal():
            return holds_arrays(types.unliteral(type_)) if types.unliteral(type_) is not type_ else False
        case types.BoundFunction():
            return holds_arrays(type_.this)
    return not isinstance(type_, _WITHOUT_ARRAYS)


class ScopingLower(Lower):
    """Numba's translation to LLVM, with the scopes of all elements that are read and written."""

    def pre_lower(self) -> None:
        super().pre_lower()
        self._families = Families(self.blocks.values(), self.typeof, self.func_ir.func_id.func)
        self._scopes = self._made_scopes()
        self._marks: dict[str | None, dict[str, Any]] = {}

    def lower_inst(self, inst: Any) -> None:
        array = self._accessed(inst) if self._scopes else None
        if array is None:
            super().lower_inst(inst)
            return
        block, blocks = self.builder.block, len(self.function.basic_blocks)
        count = len(block.instructions)
        super().lower_inst(inst)
        later = (made for other in self.function.basic_blocks[blocks:] for made in other.instructions)
        marks = self._marks_of(self._families.of(array))
        for made in (*block.instructions[count:], *later):
            if _accesses_element(made):
                for kind, scopes in marks.items():
                    made.set_metadata(kind, scopes)

    def _accessed(self, inst: Any) -> str | None:
        """The array of which a statement reads or writes one element, and nothing else."""
        if isinstance(inst, ir.SetItem):
            array, index, element = (v.name for v in (inst.target, inst.index, inst.value))
        elif isinstance(inst, ir.StaticSetItem) and inst.index_var is not None:
            array, index, element = (v.name for v in (inst.target, inst.index_var, inst.value))
        elif isinstance(inst, ir.Assign) and isinstance(inst.value, ir.Expr) and inst.value.op in _READING:
            place = inst.value.index_var if inst.value.op == "static_getitem" else inst.value.index
            if place is None:
                return None
            array, index, element = inst.value.value.name, place.name, inst.target.name
        else:
            return None
        is_array = isinstance(self.typeof(array), types.Array)
        return array if is_array and _is_number(self.typeof(element)) and _is_place(self.typeof(index)) else None

    def _made_scopes(self) -> dict[str, Any]:
        """A scope for each family that arrays are made for here, if any."""
        roots = dict.fromkeys(
            self._families.of(inst.target.name)
            for block in self.blocks.values()
            for inst in block.body
            if isinstance(inst, ir.Assign) and isinstance(self.typeof(inst.target.name), types.Array)
        )
        domain = self._own_node() if any(roots) else None
        return {root: self._own_node(domain) for root in roots if root is not None}

    def _own_node(self, *operands: Any) -> Any:
        """A node of metadata whose first operand is the node itself, as LLVM tells scopes apart."""
        node = self._node(*operands)
        node.operands = (node, *operands)
        return node

    def _node(self, *operands: Any) -> Any:
        return ll.MDValue(self.module, operands, name=str(len(self.module.metadata)))

    def _marks_of(self, family: str | None) -> Mapping[str, Any]:
        if family not in self._marks:
            own = [self._scopes[family]] if family is not None else []
            others = [scope for root, scope in self._scopes.items() if root != family]
            lists = {"alias.scope": own, "noalias": others}
            self._marks[family] = {kind: self._node(*scopes) for kind, scopes in lists.items() if scopes}
        return self._marks[family]


def _is_number(type_: Any) -> bool:
    return isinstance(types.unliteral(type_), types.Number | types.Boolean)


def _is_place(type_: Any) -> bool:
    """Whether an index is made of integers, so that nothing but the element is read."""
    items = type_ if isinstance(type_, types.BaseTuple) else (type_,)
    return all(isinstance(types.unliteral(item), types.Integer) for item in items)


def _accesses_element(made: Any) -> bool:
    """Whether an instruction loads or stores what is not a variable of the function."""
    if not isinstance(made, ll.LoadInstr | ll.StoreInstr):
        return False
    pointer = made.operands[-1]
    while isinstance(pointer, ll.GEPInstr | ll.CastInstr):
        if pointer.opname == "inttoptr":
            return True
        pointer = pointer.operands[0]
    return isinstance(pointer, ll.LoadInstr | ll.ExtractValue)
