"""A Function becomes the text of a Python function, and several become a module.

energy_grad(w, x):                     def energy_grad(w, x):
    t: float64 = multiply(w, x)   →        return x * np.cos(w * x)
    …
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any, NamedTuple

import gast

from pullback.analysis.equal_sizes import EqualSizes
from pullback.analysis.non_negative import non_negative_indices
from pullback.analysis.reductions import reduction_steps
from pullback.analysis.straight_loops import powers_one_by_one
from pullback.emission import parts
from pullback.emission.expressions import VECTOR_LIBRARY, Expressions
from pullback.emission.inline import find_inlined
from pullback.emission.names import KEYWORDS, RESERVED, Forward, Names, name_classes
from pullback.emission.operations import WRITERS
from pullback.emission.part_arrays import PartArrays
from pullback.emission.printer import to_text
from pullback.emission.regions import LINKED_IN, is_parallel_loop, take_out_loops
from pullback.emission.signs import tidy_signs
from pullback.emission.spelling import PARALLEL_RANGE, call, constant, name, tuple_
from pullback.emission.statements import Statements
from pullback.emission.undefined import copied_values, undefined_values
from pullback.ir import primitives
from pullback.ir.nodes import Block, For, Function, Let, Statement, Value, blocks_of, has_parallel_loops
from pullback.ir.types import Array, Type
from pullback.runtime import check_depth

HELPERS_MODULE = "pullback.runtime"
EXACT_LIBRARIES = frozenset({"libm", "special", "ufuncs"})
IN_PARALLEL = "in_parallel"
APART = "apart"
COMPILER = "Compiler"
Fastmath = frozenset[str] | bool | None


class Style(NamedTuple):
    """How functions are written; see `emit_module`."""

    compiled: bool
    vector: bool
    exact: bool
    comments: bool
    fastmath: Fastmath

    @property
    def contracts(self) -> bool:
        """Whether products and sums of the backward sweep may be contracted."""
        return self.compiled and self.fastmath is None


def emit_function(
    function: Function,
    named: Names,
    classes: dict[str, type],
    style: Style,
    tuple_from: int | None = None,
    divided: bool = False,
) -> tuple[list[Any], set[str], set[str]]:
    """The gast of a function, the helpers that it calls, and the modules of other functions that it calls.

    Copies were inserted where they are needed (`passes/memory/copy_insertion.py`).
    classes: the exceptions that are not built in, see `name_classes`.
    divided: if it is long, the gast of its parts comes first.
    """
    compiled, vector, exact, comments, fastmath = style
    inlined, names = named.inlined, named.of
    long = divided and _length(function, inlined) > parts.LONGEST
    # In a part, a variable must not be without a value where the next part might read it.
    # In a parallel loop, it would seem to come from the iteration before.
    strict = long or has_parallel_loops(function)
    copied = undefined_values(function) if strict else copied_values(function, names)
    reductions = reduction_steps(function) if compiled and fastmath is not False else frozenset()
    non_negative = non_negative_indices(function) if compiled else frozenset()
    names_of_classes = {kind: name for name, kind in classes.items()}
    one_by_one = frozenset(powers_one_by_one(function.body)) if vector else frozenset()
    facts = (reductions, non_negative, one_by_one, names_of_classes)
    expressions = Expressions(names, inlined, compiled, vector, exact, *facts, WRITERS)
    equal_sizes = EqualSizes(function if compiled else None)
    statements = Statements(expressions, names, copied, comments, equal_sizes, style.contracts)
    body = statements.plain(function.body)
    results = [expressions.operand(result) for result in function.results]
    for result in function.results:
        if result in inlined and inlined[result].function not in (primitives.copy, primitives.dim):
            body += statements.remark(inlined[result].location)
    if tuple_from is not None:
        results = [*results[:tuple_from], tuple_(results[tuple_from:])]
    if results:
        body.append(gast.Return(results[0] if len(results) == 1 else tuple_(results)))
    parameters = [gast.Name(names[p], gast.Param(), None, None) for p in function.parameters]
    arguments = gast.arguments(parameters, [], None, [], [], None, [])
    tree = gast.FunctionDef(function.name, arguments, body or [gast.Pass()], [], None, None, [])
    tree = tidy_signs(tree)
    loops = take_out_loops(tree)
    return [*loops, *(parts.in_parts(tree, parts.SIZE) if long else [tree])], expressions.helpers, expressions.modules


def _length(function: Function, inlined: dict[Value, Let]) -> int:
    """How many statements the text of a function has, about, without those of its parallel loops."""
    return sum(not (isinstance(s, Let) and s.value in inlined) for s in _in_a_row(function.body))


def _in_a_row(block: Block) -> Iterator[Statement]:
    for statement in block.statements:
        yield statement
        if not (isinstance(statement, For) and statement.parallel):
            for inner in blocks_of(statement):
                yield from _in_a_row(inner)


def emit_module(
    functions: Iterable[Function],
    *,
    compiled: bool,
    vector: bool = False,
    exact: bool = False,
    comments: bool = True,
    tuple_from: int | None = None,
    divided: bool = False,
    fastmath: Fastmath = None,
    forward: Forward | None = None,
) -> str:
    """The text of a module with these functions; it imports numpy, the helpers, and modules whose functions it calls.

    compiled: as Numba takes it; vector: with the vector math library; exact: as plain Python and NumPy compute, bit for
    bit; tuple_from: the results from this number on are returned in a tuple of their own; divided: a long function
    becomes several; fastmath: see `compilation.options`; forward: the function for whose residuals the last one is, if
    it is a backward function.
    """
    functions = list(functions)
    classes = name_classes(functions)
    callees = {callee.name: callee for function in functions for callee in function.callees}
    functions = [*callees.values(), *functions]
    style = Style(compiled, vector, exact, comments, fastmath)

    def named(reserved: frozenset[str]) -> list[Names]:
        return _names_in(functions, classes, forward, reserved, style, shares=not compiled and not divided)

    def written(names: list[Names]) -> tuple[list[Any], set[str], set[str]]:
        return _written(functions, callees.keys(), names, classes, style, tuple_from, divided)

    names = named(RESERVED)
    trees, helpers, modules = written(names)
    if not compiled and any(each.refused for each in names):
        trees, helpers, modules = written(named(_mentioned(trees, names)))
    return to_text(gast.Module([*_imports(trees, helpers, modules), *trees], []))


def _written(
    functions: list[Function],
    callees: Set[str],
    names: list[Names],
    classes: dict[str, type],
    style: Style,
    tuple_from: int | None,
    divided: bool,
) -> tuple[list[Any], set[str], set[str]]:
    """The gast of functions, the helpers that they call, and the modules of other functions that they call."""
    trees: list[Any] = []
    helpers: set[str] = set()
    modules: set[str] = set()
    for function, named in zip(functions, names, strict=True):
        is_callee = function.name in callees
        own = (None, False) if is_callee else (tuple_from, divided)
        made, used, called = emit_function(function, named, classes, style, *own)
        if style.compiled:
            _prepare(made, used, function, is_callee, style.fastmath)
            _tell_of_arrays(made[:-1], function, named)
        trees += made
        helpers |= used
        modules |= called
    return trees, helpers, modules


def _prepare(made: list[Any], used: set[str], function: Function, is_callee: bool, fastmath: Fastmath) -> None:
    """Decorate the parts of a function for Numba; a callee also counts how deep its calls are."""
    if is_callee:
        used.add(check_depth.__name__)
        made[-1].body.insert(0, gast.Expr(call(name(check_depth.__name__))))
    made[-1].decorator_list = [_decorator(function, fastmath)] if is_callee else []
    for part in made[:-1]:
        kind = IN_PARALLEL if is_parallel_loop(part.body[0]) else LINKED_IN
        part.decorator_list = part.decorator_list or [name(kind)]


def _tell_of_arrays(parts_made: list[Any], function: Function, named: Names) -> None:
    """Tell LLVM of the arrays of each part: which share no memory with others, and how long their rows are.

    An assertion that failed would be a defect of ours. A call that has begun cannot go to the general form: it may have
    written into its arguments.
    """
    linked = [part for part in parts_made if not is_parallel_loop(part.body[0])]
    arrays = PartArrays(function, named.of) if linked else None
    for part in linked if arrays is not None else ():
        parameters = [parameter.id for parameter in part.args.args]
        alone = arrays.apart(parameters)
        if alone:
            part.decorator_list.append(call(name(APART), *map(constant, alone)))
        wanted = _axes_with_constant_indices(part)
        sizes = [(p, *size) for p in parameters for size in arrays.sizes(p) if (p, size[0]) in wanted]
        part.body[:0] = [_assertion_of_size(*size) for size in sizes]


def _axes_with_constant_indices(part: Any) -> set[tuple[str, int]]:
    """The axes along which constants find the elements, as those of short rows: loops go from row to row there."""
    return {
        (node.value.id, axis)
        for node in gast.walk(part)
        if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name) and isinstance(node.slice, gast.Tuple)
        for axis, index in enumerate(node.slice.elts)
        if isinstance(index, gast.Constant)
    }


def _assertion_of_size(array: str, axis: int, size: int) -> Any:
    shape = gast.Attribute(name(array), "shape", gast.Load())
    agrees = gast.Compare(gast.Subscript(shape, constant(axis), gast.Load()), [gast.Eq()], [constant(size)])
    return gast.Assert(agrees, None)


def _mentioned(trees: list[Any], names: list[Names]) -> frozenset[str]:
    """What a text mentions beside the variables of its functions: only this can no variable be called."""
    variables = {text for each in names for text in each.of.values()}
    nodes = [node for tree in trees for node in gast.walk(tree)]
    mentioned = {node.id for node in nodes if isinstance(node, gast.Name)} - variables
    return KEYWORDS | mentioned | {tree.name for tree in trees}


def _names_in(
    functions: list[Function],
    classes: Mapping[str, type],
    forward: Forward | None,
    reserved: frozenset[str],
    style: Style,
    shares: bool,
) -> list[Names]:
    """The names in each function of a module; those of a backward function, the last one, with its forward function."""
    others = [*functions, *([forward.function] if forward is not None else [])]
    taken = reserved.union(classes, (function.name for function in others))

    def names(function: Function, first: tuple[Names, int] | None = None) -> Names:
        inlined = find_inlined(function, style.contracts, copies=not style.compiled)
        return Names(function, inlined, taken, first, shares)

    *earlier, last = functions
    found = [names(function) for function in earlier]
    if forward is None:
        return [*found, names(last)]
    first = next((each for each in found if each.function is forward.function), None) or names(forward.function)
    return [*found, names(last, (first, forward.residuals))]


def _imports(trees: list[Any], helpers: set[str], modules: set[str]) -> list[Any]:
    """What a module with these functions imports."""
    imports: list[Any] = [gast.Import([gast.alias(module, None)]) for module in sorted(modules)]
    imports.append(gast.Import([gast.alias("numpy", "np")]))
    decorators = [decorator for tree in trees for decorator in tree.decorator_list]
    called = {decorator.func.id for decorator in decorators if isinstance(decorator, gast.Call)}
    of_numba = ["njit"] if "njit" in called else []
    if any(is_parallel_loop(tree.body[0]) for tree in trees):
        of_numba.append(PARALLEL_RANGE)
    if of_numba:
        imports.append(_import_from("numba", of_numba))
    if "njit" in of_numba:
        imports.append(_import_from(f"{HELPERS_MODULE}.codegen.compiler", [COMPILER]))
    if VECTOR_LIBRARY in helpers:
        imports.append(gast.Import([gast.alias(f"{HELPERS_MODULE}.vectormath", VECTOR_LIBRARY)]))
    exact = helpers & EXACT_LIBRARIES
    if exact:
        imports.append(_import_from(f"{HELPERS_MODULE}.exact", exact))
    names = helpers - {VECTOR_LIBRARY} - exact
    if names:
        imports.append(_import_from(HELPERS_MODULE, names))
    linking = {decorator.id for decorator in decorators if isinstance(decorator, gast.Name)}
    if APART in called:
        imports.append(_import_from(f"{HELPERS_MODULE}.codegen.alias_scopes", [APART]))
    if linking:
        imports.append(_import_from(f"{HELPERS_MODULE}.codegen.linking", linking))
    return imports


def _import_from(module: str, names: Iterable[str]) -> Any:
    return gast.ImportFrom(module, [gast.alias(text, None) for text in sorted(names)], 0)


def _decorator(function: Function, fastmath: Fastmath) -> Any:
    """`@njit` with the signature: Numba cannot always infer the types of functions that call themselves."""
    results = [_numba_type(result.type) for result in function.results]
    result = results[0] if len(results) == 1 else f"Tuple(({', '.join(results)},))"
    parameters = ", ".join(_numba_type(parameter.type) for parameter in function.parameters)
    flags = constant(bool(fastmath))
    if isinstance(fastmath, frozenset) and fastmath:
        flags = gast.Set([constant(flag) for flag in sorted(fastmath)])
    return call(
        name("njit"),
        constant(f"{result}({parameters})"),
        error_model=constant("numpy"),
        fastmath=flags,
        nogil=constant(True),
        pipeline_class=name(COMPILER),
    )


def _numba_type(type_: Type) -> str:
    dtype = "boolean" if type_.dtype == "bool" else type_.dtype
    if not isinstance(type_, Array):
        return dtype
    # Brackets with nothing in them are no Python.
    return f"{dtype}[{', '.join(':' * type_.ndim)}]" if type_.ndim else f"Array({dtype}, 0, 'A')"
