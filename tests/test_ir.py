"""The normal form: what the checker refuses, that its text is the same on every run, and that passes keep it sound."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import collect
from pullback.api.specialise import Engine, build_for
from pullback.compilation.options import Options
from pullback.frontend.build import Built
from pullback.frontend.values.arguments import leaf_types
from pullback.ir import primitives
from pullback.ir.builder import constant
from pullback.ir.checker import check
from pullback.ir.nodes import (
    UNDEFINED,
    Block,
    Call,
    Carried,
    Constant,
    Effect,
    For,
    Function,
    If,
    Index,
    Let,
    Statement,
    Value,
    While,
    free_in,
)
from pullback.ir.printer import show
from pullback.ir.types import BOOL, FLOAT, INT, Array, Scalar, is_float
from pullback.passes.entries import Settings
from pullback.passes.memory.copy_insertion import insert_copies
from pullback.passes.pipeline import ALL
from pullback.passes.running import run, watched
from pullback.passes.scalar.dead_code import remove_dead
from pullback.passes.scalar.simplify import simplify
from pullback.transform.derivative import joint, prepared, split

VECTOR = Array("float64", 1)
FIRST = (Index((constant(0),)),)


def function(*statements: Statement, parameters: tuple[Value, ...] = (), yields: tuple[Any, ...] = ()) -> Function:
    return Function("f", parameters, Block(statements, yields))


def number(name: str = "") -> Value:
    return Value(name, FLOAT)


# The checker


def test_a_well_formed_function_is_returned_itself():
    x, y = number("x"), number("y")
    good = function(Let(y, np.add, (x, constant(1.0))), parameters=(x,), yields=(y,))
    assert check(good, linear=True) is good


def assigned_twice() -> Function:
    x, y = number("x"), number("y")
    return function(Let(y, np.sin, (x,)), Let(y, np.cos, (x,)), parameters=(x,), yields=(y,))


def parameter_assigned() -> Function:
    x = number("x")
    return function(Let(x, np.sin, (constant(1.0),)), parameters=(x,), yields=(x,))


def parameter_listed_twice() -> Function:
    x = number("x")
    return function(parameters=(x, x), yields=(x,))


def loop_index_assigned_before() -> Function:
    i = Value("i", INT)
    loop = For(i, constant(0), constant(3), constant(1), (), Block(()), ())
    return function(loop, parameters=(i,))


def assigned_in_both_branches() -> Function:
    c, y = Value("c", BOOL), number("y")
    side = Block((Let(y, np.sin, (constant(1.0),)),))
    return function(If(c, side, side, ()), parameters=(c,))


def result_assigned_twice() -> Function:
    c, y = Value("c", BOOL), number("y")
    side = Block((), (constant(1.0), constant(1.0)))
    return function(If(c, side, side, (y, y)), parameters=(c,), yields=(y,))


def read_before_it_is_defined() -> Function:
    x, y, z = number("x"), number("y"), number("z")
    return function(Let(y, np.sin, (z,)), Let(z, np.sin, (x,)), parameters=(x,), yields=(y,))


def never_defined() -> Function:
    return function(yields=(number("y"),))


def undefined_inside_an_index() -> Function:
    x, i, y = Value("x", VECTOR), Value("i", INT), number("y")
    return function(Let(y, primitives.load, (x, (Index((i,)),))), parameters=(x,), yields=(y,))


def undefined_in_an_effect() -> Function:
    return function(Effect(primitives.print_, (number("y"),)))


def undefined_in_a_call() -> Function:
    y = number("y")
    return function(Call("g", (number("x"),), (y,)), yields=(y,))


def undefined_condition() -> Function:
    return function(If(Value("c", BOOL), Block(()), Block(()), ()))


def undefined_bound() -> Function:
    return function(For(Value("i", INT), constant(0), Value("n", INT), constant(1), (), Block(()), ()))


def undefined_initial_value() -> Function:
    s, r = number("s"), number("r")
    loop = For(
        Value("i", INT), constant(0), constant(3), constant(1), (Carried(s, number("q")),), Block((), (s,)), (r,)
    )
    return function(loop, yields=(r,))


def shape_of_an_undefined_array() -> Function:
    n = Value("n", INT)
    return function(Let(n, primitives.dim, (Value("x", VECTOR), constant(0))), yields=(n,))


def read_outside_its_branch() -> Function:
    c, y = Value("c", BOOL), number("y")
    return function(If(c, Block((Let(y, np.sin, (constant(1.0),)),)), Block(()), ()), parameters=(c,), yields=(y,))


def read_on_the_other_side_of_a_branch() -> Function:
    c, y, r = Value("c", BOOL), number("y"), number("r")
    then = Block((Let(y, np.sin, (constant(1.0),)),), (y,))
    return function(If(c, then, Block((), (y,)), (r,)), parameters=(c,), yields=(r,))


def read_outside_its_loop() -> Function:
    y = number("y")
    body = Block((Let(y, np.sin, (constant(1.0),)),))
    return function(For(Value("i", INT), constant(0), constant(3), constant(1), (), body, ()), yields=(y,))


def index_read_outside_its_loop() -> Function:
    i = Value("i", INT)
    return function(For(i, constant(0), constant(3), constant(1), (), Block(()), ()), yields=(i,))


def carried_value_read_outside_its_loop() -> Function:
    s, r = number("s"), number("r")
    carried = (Carried(s, constant(0.0)),)
    return function(
        For(Value("i", INT), constant(0), constant(3), constant(1), carried, Block((), (s,)), (r,)), yields=(s,)
    )


def condition_of_a_while_read_in_its_body() -> Function:
    c = Value("c", BOOL)
    condition = Block((Let(c, np.less, (constant(0.0), constant(1.0))),), (c,))
    body = Block((Effect(primitives.print_, (c,)),))
    return function(While(condition, (), body, ()))


def branch_of_too_few_values() -> Function:
    c, r = Value("c", BOOL), number("r")
    return function(If(c, Block((), (constant(1.0),)), Block(()), (r,)), parameters=(c,), yields=(r,))


def branch_of_another_type() -> Function:
    c, x, r = Value("c", BOOL), Value("x", VECTOR), number("r")
    sides = Block((), (constant(1.0),)), Block((), (x,))
    return function(If(c, *sides, (r,)), parameters=(c, x), yields=(r,))


def branch_of_another_dtype() -> Function:
    c, r = Value("c", BOOL), number("r")
    return function(If(c, Block((), (constant(1.0),)), Block((), (constant(1),)), (r,)), parameters=(c,), yields=(r,))


def counting_loop(initial: Any, yields: tuple[Any, ...], result: Value, exits: bool = False) -> Function:
    carried = (Carried(number("s"), initial),)
    loop = For(Value("i", INT), constant(0), constant(3), constant(1), carried, Block((), yields), (result,), exits)
    return function(loop, yields=(result,))


def loop_of_too_few_values() -> Function:
    return counting_loop(constant(0.0), (), number("r"))


def loop_of_too_many_values() -> Function:
    return counting_loop(constant(0.0), (constant(1.0), constant(True)), number("r"))


def loop_without_its_exit_flag() -> Function:
    return counting_loop(constant(0.0), (constant(1.0),), number("r"), exits=True)


def loop_that_starts_with_another_type() -> Function:
    return counting_loop(constant(0), (constant(1.0),), number("r"))


def loop_that_goes_on_with_another_type() -> Function:
    return counting_loop(constant(0.0), (constant(1),), number("r"))


def loop_whose_result_has_another_type() -> Function:
    return counting_loop(constant(0.0), (constant(1.0),), Value("r", INT))


def loop_of_too_few_results() -> Function:
    s = number("s")
    loop = While(Block((), (constant(False),)), (Carried(s, constant(0.0)),), Block((), (s,)), ())
    return function(loop)


ILL_FORMED: dict[Callable[[], Function], str] = {
    assigned_twice: "y: float64* is assigned twice",
    parameter_assigned: "x: float64* is assigned twice",
    parameter_listed_twice: "x: float64* is assigned twice",
    loop_index_assigned_before: "i: int64* is assigned twice",
    assigned_in_both_branches: "y: float64* is assigned twice",
    result_assigned_twice: "y: float64* is assigned twice",
    read_before_it_is_defined: "z: float64* is read where it is not defined",
    never_defined: "y: float64* is read where it is not defined",
    undefined_inside_an_index: "i: int64* is read where it is not defined",
    undefined_in_an_effect: "y: float64* is read where it is not defined",
    undefined_in_a_call: "x: float64* is read where it is not defined",
    undefined_condition: "c: bool* is read where it is not defined",
    undefined_bound: "n: int64* is read where it is not defined",
    undefined_initial_value: "q: float64* is read where it is not defined",
    shape_of_an_undefined_array: "the shape of an undefined value is read",
    read_outside_its_branch: "y: float64* is read where it is not defined",
    read_on_the_other_side_of_a_branch: "y: float64* is read where it is not defined",
    read_outside_its_loop: "y: float64* is read where it is not defined",
    index_read_outside_its_loop: "i: int64* is read where it is not defined",
    carried_value_read_outside_its_loop: "s: float64* is read where it is not defined",
    condition_of_a_while_read_in_its_body: "c: bool* is read where it is not defined",
    branch_of_too_few_values: "a branch yields 0 values where 1 are due",
    branch_of_another_type: "a branch yields x: float64[:] where r: float64* is due",
    branch_of_another_dtype: "a branch yields Constant(value=1, type=",
    loop_of_too_few_values: "a loop's body yields 0 values where 1 are due",
    loop_of_too_many_values: "a loop yields what it carries",
    loop_without_its_exit_flag: "a loop yields what it carries",
    loop_that_starts_with_another_type: "the start of a loop yields Constant(value=0, type=",
    loop_that_goes_on_with_another_type: "a loop's body yields Constant(value=1, type=",
    loop_whose_result_has_another_type: "a loop yields s: float64* where r: int64* is due",
    loop_of_too_few_results: "a loop yields 1 values where 0 are due",
}


@pytest.mark.parametrize("make", ILL_FORMED, ids=lambda make: make.__name__)
def test_ill_formed_function_is_refused(make: Callable[[], Function]) -> None:
    with pytest.raises(AssertionError) as caught:
        check(make())
    assert str(caught.value).startswith(ILL_FORMED[make])


def test_an_ill_formed_callee_is_refused():
    with pytest.raises(AssertionError, match="is read where it is not defined"):
        check(Function("f", (), Block(()), callees=(never_defined(),)))


def test_undefined_goes_with_every_type():
    c, r = Value("c", BOOL), Value("r", VECTOR)
    sides = Block((), (Constant(UNDEFINED, VECTOR),)), Block((), (Constant(UNDEFINED),))
    check(function(If(c, *sides, (r,)), parameters=(c,), yields=(r,)))


def test_weak_and_strong_numbers_of_a_dtype_agree():
    check(counting_loop(constant(0.0), (Constant(1.0, Scalar("float64")),), Value("r", Scalar("float64"))))


# The checker with `linear`: what was consumed is not read again


def consumed(*after: Statement, x: Value, y: Value, yields: tuple[Any, ...]) -> Function:
    store = Let(y, primitives.store, (x, FIRST, constant(1.0)))
    return function(store, *after, parameters=(x,), yields=yields)


def test_read_after_store_is_refused_only_when_linear():
    x, y, z = Value("x", VECTOR), Value("y", VECTOR), number("z")
    bad = consumed(Let(z, np.sum, (x,)), x=x, y=y, yields=(y, z))
    check(bad)
    with pytest.raises(AssertionError, match=r"x: float64\[:\] is read after it was consumed"):
        check(bad, linear=True)


def test_shape_of_a_consumed_array_may_be_read():
    x, y, n = Value("x", VECTOR), Value("y", VECTOR), Value("n", INT)
    check(consumed(Let(n, primitives.dim, (x, constant(0))), x=x, y=y, yields=(y, n)), linear=True)


@pytest.mark.parametrize("consuming", [primitives.store, primitives.add_at, primitives.accumulate])
def test_consuming_twice_is_refused(consuming: Callable[..., Any]) -> None:
    x, y, z = Value("x", VECTOR), Value("y", VECTOR), Value("z", VECTOR)
    rest = (constant(1.0),) if consuming is primitives.accumulate else (FIRST, constant(1.0))
    bad = function(Let(y, consuming, (x, *rest)), Let(z, consuming, (x, *rest)), parameters=(x,), yields=(y, z))
    with pytest.raises(AssertionError, match="is read after it was consumed"):
        check(bad, linear=True)


def test_adding_numbers_consumes_nothing():
    x, y = number("x"), number("y")
    check(function(Let(y, primitives.accumulate, (x, x)), parameters=(x,), yields=(x, y)), linear=True)


def test_consumed_on_one_side_of_a_branch_is_consumed_after_it():
    c, x, y = Value("c", BOOL), Value("x", VECTOR), Value("y", VECTOR)
    then = Block((Let(y, primitives.store, (x, FIRST, constant(1.0))),))
    bad = function(If(c, then, Block(()), ()), parameters=(c, x), yields=(x,))
    with pytest.raises(AssertionError, match="is read after it was consumed"):
        check(bad, linear=True)


def test_consumed_on_each_side_of_a_branch_is_well_formed():
    c, x, y, z, r = Value("c", BOOL), *(Value(name, VECTOR) for name in "xyzr")
    then = Block((Let(y, primitives.store, (x, FIRST, constant(1.0))),), (y,))
    orelse = Block((Let(z, primitives.store, (x, FIRST, constant(2.0))),), (z,))
    check(function(If(c, then, orelse, (r,)), parameters=(c, x), yields=(r,)), linear=True)


def test_consumed_in_a_loop_from_outside_it_is_refused():
    x, y = Value("x", VECTOR), Value("y", VECTOR)
    body = Block((Let(y, primitives.store, (x, FIRST, constant(1.0))),))
    loop = For(Value("i", INT), constant(0), constant(3), constant(1), (), body, ())
    with pytest.raises(AssertionError, match="consumed"):
        check(function(loop, parameters=(x,)), linear=True)


# The printer


def all_texts() -> str:
    """Texts of two stages for some programs, to be compared between processes."""
    texts = []
    for program in [*collect.programs("imperative"), *collect.programs("regressions")][::3]:
        built = build_of(program)
        texts.append(show(built.function))
        made = joint_of(program, built, ALL) if has_gradient(built) else prepared(built.function)
        texts.append(show(insert_copies(made)))
    return "\n".join(texts)


def test_text_is_the_same_whatever_the_hash_seed():
    """In processes of their own: a set of functions or of strings has another order in each."""
    code = "import test_ir, hashlib; print(hashlib.sha256(test_ir.all_texts().encode()).hexdigest())"
    digests = set()
    for seed in ("0", "12345"):
        paths = os.pathsep.join(sys.path)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        digests.add(done.stdout)
    assert len(digests) == 1


def test_equal_names_are_numbered_in_order_of_definition():
    x, y, z, t = number("x"), number("x"), number(""), number("")
    text = show(
        function(Let(y, np.sin, (x,)), Let(z, np.cos, (y,)), Let(t, np.add, (z, y)), parameters=(x,), yields=(t,))
    )
    assert text == (
        "f(x: float64*):\n"
        "    x.1: float64* = sin(x)\n"
        "    t.0: float64* = cos(x.1)\n"
        "    t.1: float64* = add(t.0, x.1)\n"
        "    return t.1"
    )


def test_two_names_never_print_alike():
    """`x.1` as a user's name would be a clash with the second `x`; a user's `t` with a temporary."""
    x, temporary, named = number("t"), number(""), number("t")
    statements = (Let(temporary, np.sin, (x,)), Let(named, np.sin, (temporary,)))
    text = show(function(*statements, parameters=(x,), yields=(named,)))
    assigned = [line.split(":")[0].strip() for line in text.splitlines()[1:-1]]
    assert len({"t", *assigned}) == 3


# Every pass, on every program


PROGRAMS = collect.programs()


def build_of(program: collect.Program) -> Built:
    """The normal form for the first sample; numbers that must be known beforehand are, as in a call."""
    engine = Engine(program.function, Options())
    return build_for(engine, engine.bind(program.samples[0].fresh(), {}))[1]


def wrt_of(program: collect.Program, built: Built) -> tuple[int, ...]:
    """The parameters that are float leaves of the sample's `wrt`."""
    sample, engine = program.samples[0], Engine(program.function, Options())
    forms, _ = build_for(engine, engine.bind(sample.fresh(), {}))
    names = list(forms)
    chosen = {names[k] for k in sample.wrt}
    owners = [name for name, form in forms.items() for _ in leaf_types(form)]
    parameters = built.function.parameters
    return tuple(k for k, owner in enumerate(owners) if owner in chosen and is_float(parameters[k].type))


def has_gradient(built: Built) -> bool:
    results = built.function.results
    return bool(results) and results[0].type.dtype.startswith("float") and getattr(results[0].type, "ndim", 0) == 0


def joint_of(program: collect.Program, built: Built, settings: Settings) -> Function:
    return joint(prepared(built.function, settings), wrt_of(program, built), with_results=True, settings=settings)


def checked_change(stage: str, name: str, before: Function, after: Function) -> None:
    """Check what a pass has made; a backward function has no parameters for its residuals before it is finished."""
    if set(free_in(before.body)) <= set(before.parameters):
        check(after, linear=name == "copy_insertion")


@pytest.mark.drawn(8)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_passes_keep_the_form_sound(program: collect.Program) -> None:
    built = build_of(program)
    plain = check(built.function)
    check(insert_copies(plain), linear=True)
    with watched(checked_change):
        for settings in (ALL, replace(ALL, lowered=True), Settings(frozenset())):
            function = prepared(plain, settings)
            made = [joint_of(program, built, settings)] if has_gradient(built) else []
            pair = split(function, wrt_of(program, built), settings=settings)
            for part in (*made, pair.forward, pair.backward):
                run(part, settings, "copies")


@pytest.mark.drawn(120)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_simplifying_twice_changes_nothing_more(program: collect.Program) -> None:
    once = remove_dead(simplify(build_of(program).function))
    assert show(remove_dead(simplify(once))) == show(once)


@pytest.mark.drawn(120)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.id)
def test_owning_twice_copies_nothing_more(program: collect.Program) -> None:
    once = insert_copies(prepared(build_of(program).function))
    assert show(insert_copies(once)) == show(once)
