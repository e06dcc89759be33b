"""Finding a function's source: the right text at its true place, or an error that says why there is none."""

import asyncio
import builtins
import doctest
import functools
import importlib.util
import linecache
import operator
import os
import sys
import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import gast
import numba
import numpy as np
import pytest

import cells
from pullback.errors import LanguageError, TypingError
from pullback.frontend.source.finding import Source, find_source
from pullback.frontend.source.language import check_language


def text_of(source: Source) -> str:
    """The function's own lines, cut out of the file by the places of its tree."""
    tree = source.tree
    lines = list(source.lines[tree.lineno - 1 : tree.end_lineno])
    lines[-1] = lines[-1][: tree.end_col_offset]
    lines[0] = lines[0][tree.col_offset :]
    return "\n".join(lines)


def found(function: Callable[..., Any], source: str | None = None) -> str:
    return text_of(find_source(function, source))


def refusal(function: Any, source: str | None = None) -> TypingError:
    with pytest.raises(TypingError) as caught:
        find_source(function, source)
    assert caught.value.reason
    assert caught.value.__cause__ is None
    return caught.value


def import_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_module(folder: Path, text: str, name: str = "written") -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return import_file(path)


# Places


def plain(x):
    y = x * x
    return np.sin(y)


def test_plain_function_has_its_true_lines_and_columns():
    source = find_source(plain)
    assert source.function is plain
    assert source.name == "plain"
    assert source.file == __file__
    assert source.tree.lineno == plain.__code__.co_firstlineno
    assert text_of(source) == "def plain(x):\n    y = x * x\n    return np.sin(y)"
    place = source.location(source.tree.body[0].value)
    assert (place.line, place.text, place.function) == (source.tree.lineno + 1, "    y = x * x", "plain")
    assert place.text[place.column : place.end_column] == "x * x"


def test_location_of_a_node_on_several_lines_ends_with_its_first_line():
    source = find_source(plain)
    place = source.location(source.tree)
    assert place.text[place.column : place.end_column] == "def plain(x):"


def test_location_of_a_node_without_a_place_is_that_of_the_function():
    source = find_source(plain)
    assert source.location(source.tree.args) == source.location(source.tree)


def greek(θ):
    é = "ü"; y = θ + θ  # fmt: skip  # noqa: E702, F841
    return y


def test_columns_count_characters():
    source = find_source(greek)
    place = source.location(source.tree.body[1].value)
    assert place.text[place.column : place.end_column] == "θ + θ"


class Model:
    """Methods, each at its own indentation."""

    scale = 3.0

    def loss(self, x):
        """Not
        dedented."""
        return self.scale * x

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def scaled(cls, x):
        return cls.scale * x

    def __call__(self, x):
        return self.__hidden(x)

    def __hidden(self, x):
        return x * self.__factor

    __factor = 2.0

    if scale > 2:

        def in_a_branch(self, x):
            return x


@pytest.mark.parametrize(
    ("function", "start"),
    [
        (Model().loss, "def loss(self, x):"),
        (Model.loss, "def loss(self, x):"),
        (Model.square, "def square(x):"),
        (vars(Model)["square"], "def square(x):"),
        (Model.scaled, "def scaled(cls, x):"),
        (vars(Model)["scaled"], "def scaled(cls, x):"),
        (Model().__call__, "def __call__(self, x):"),
        (Model()._Model__hidden, "def __hidden(self, x):"),
        (Model().in_a_branch, "def in_a_branch(self, x):"),
    ],
)
def test_method_keeps_its_columns(function, start):
    source = find_source(function)
    assert text_of(source).startswith(start)
    for node in (source.tree, source.tree.body[-1]):
        place = source.location(node)
        assert place.text[: place.column].isspace()
        assert place.text[place.column : place.end_column] == place.text.strip()


def test_multi_line_string_is_not_dedented():
    assert find_source(Model.loss).tree.body[0].value.value == "Not\n        dedented."


def test_nested_function_and_closure():
    def outer(k):
        def inner(x):
            return k * x * plain(x)

        return inner

    assert found(outer(2.0)) == "def inner(x):\n            return k * x * plain(x)"


def same(function):
    return function


@same
@functools.partial(
    same,
)
def decorated(x):
    return x + 1


def test_decorators_are_left_out():
    source = find_source(decorated)
    assert source.tree.decorator_list == []
    assert text_of(source) == "def decorated(x):\n    return x + 1"
    assert source.location(source.tree).text == "def decorated(x):"


@numba.njit(cache=False)
def compiled(x):
    return x + 2


def test_numba_dispatcher_gives_its_python_function():
    source = find_source(compiled)
    assert source.function is compiled.py_func
    assert text_of(source) == "def compiled(x):\n    return x + 2"


def test_function_that_asserts_is_found_although_pytest_rewrites_it():
    def checked(x):
        assert x > 0, f"not positive: {x}"
        return np.sqrt(x)

    assert found(checked).startswith("def checked(x):")


def again(x):
    return x * 1


first_of_the_name = again


def again(x):
    return x * 2


def test_each_function_of_a_name_defined_twice_finds_its_own():
    assert found(first_of_the_name).endswith("x * 1")
    assert found(again).endswith("x * 2")


def test_functions_of_a_name_in_two_branches_and_a_loop():
    functions = []
    for k in range(2):
        if k:

            def chosen(x):
                return x * 10
        else:

            def chosen(x):
                return x * 20

        functions.append(chosen)
    assert [found(function)[-2:] for function in functions] == ["20", "10"]


def test_text_of_the_functions_file_wins_over_its_name():
    def renamed(x):
        return x

    renamed.__name__ = renamed.__qualname__ = "other"
    source = find_source(renamed)
    assert source.tree.name == source.name == "renamed"


def test_function_that_imports_see_as_from_the_future(tmp_path):
    module = write_module(
        tmp_path,
        """
        from __future__ import annotations
        import numpy as np
        from numpy import sin

        def f(x: float) -> list[int]:
            def g(y: int) -> int:
                return np.cos(y) + np.linalg.norm(y)
            return sin(x) * g(x)
        """,
    )
    assert "return sin(x) * g(x)" in found(module.f)


@pytest.mark.filterwarnings("error")
def test_doubtful_syntax_is_not_warned_of_again(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = write_module(tmp_path, "def f(x):\n    y = '\\d'\n    return x is 1, y\n")
    assert found(module.f).endswith("return x is 1, y")


# Lambdas


def test_lambda_on_a_line_of_its_own():
    square = lambda x: x * x  # noqa: E731
    assert found(square) == "lambda x: x * x"


def test_two_lambdas_on_a_line():
    first, second = lambda x: x * 2, lambda x: x * 3
    assert found(first) == "lambda x: x * 2"
    assert found(second) == "lambda x: x * 3"


def test_equal_lambdas_on_a_line_are_told_apart_by_their_columns():
    pair = [lambda x: x * 2, lambda x: x * 2]
    columns = [find_source(function).tree.col_offset for function in pair]
    assert columns[0] < columns[1]
    assert [found(function) for function in pair] == ["lambda x: x * 2"] * 2


def test_lambda_within_a_lambda():
    outer = lambda x: lambda y: x * y  # noqa: E731
    assert found(outer) == "lambda x: lambda y: x * y"
    assert found(outer(2)) == "lambda y: x * y"
    constant = lambda: lambda: 1  # noqa: E731
    assert found(constant) == "lambda: lambda: 1"
    assert found(constant()) == "lambda: 1"


def test_lambdas_in_a_dict():
    table = {"a": lambda x: x + 1, "b": lambda x: x + 2,
             "c": lambda x: x + 1}  # fmt: skip
    assert [found(function) for function in table.values()] == ["lambda x: x + 1", "lambda x: x + 2", "lambda x: x + 1"]


def test_lambda_over_several_lines():
    many = [
        lambda x, y: (
            x
            * y
        ), lambda x,
        y: x + y
    ]  # fmt: skip
    assert [gast.unparse(find_source(function).tree).strip() for function in many] == [
        "lambda x, y: x * y",
        "lambda x, y: x + y",
    ]
    assert found(many[1]) == "lambda x,\n        y: x + y"


def test_lambdas_with_defaults():
    powers = [lambda x, k=k: x**k for k in (2, 3)]
    assert [found(power) for power in powers] == ["lambda x, k=k: x**k"] * 2
    with_inner = lambda x, f=lambda y: y + 1: f(x)  # noqa: E731
    assert found(with_inner) == "lambda x, f=lambda y: y + 1: f(x)"
    assert found(with_inner.__defaults__[0]) == "lambda y: y + 1"


def test_lambdas_as_arguments():
    first, second = (lambda f, g: (f, g))(lambda x: np.sin(x), lambda x: np.cos(x))
    assert found(first) == "lambda x: np.sin(x)"
    assert found(second) == "lambda x: np.cos(x)"


def test_lambda_moved_by_an_edit_above(tmp_path):
    module = write_module(tmp_path, "f = [lambda x: x * 2, lambda x: x * 3, lambda: 1]\n")
    touch(tmp_path / "written.py", "g = lambda x: x\nf = [lambda x: x * 2, lambda x: x * 3, lambda: 1]\n")
    assert [found(f) for f in module.f] == ["lambda x: x * 2", "lambda x: x * 3", "lambda: 1"]
    assert [find_source(f).tree.lineno for f in module.f] == [2, 2, 2]


def test_lambdas_that_differ_only_in_a_sign_or_type_of_zero():
    zeros = [lambda: 0.0, lambda: -0.0, lambda: 0, lambda: False]
    assert [found(zero) for zero in zeros] == ["lambda: 0.0", "lambda: -0.0", "lambda: 0", "lambda: False"]


def without_columns(function: Any) -> Any:
    """The function as Python makes it under -X no_debug_ranges: told apart only by what it computes."""
    code = function.__code__
    bare = compile("def f():\n pass\n", code.co_filename, "exec").co_consts[0].co_linetable
    return type(function)(code.replace(co_linetable=bare), function.__globals__, "<lambda>", function.__defaults__)


def test_without_recorded_columns_lambdas_that_compute_the_same_are_ambiguous():
    pair = [lambda x: x * 2, lambda x: x * 3]
    assert [found(without_columns(function)) for function in pair] == ["lambda x: x * 2", "lambda x: x * 3"]
    twins = [lambda x: x + 2, lambda x: x + 2]
    assert found(without_columns(twins[0])) == found(without_columns(twins[1]))
    differing = [lambda x, k=1: x + k, lambda x, k=2: x + k]
    error = refusal(without_columns(differing[1]))
    assert "several functions on line" in error.reason
    assert error.location.line == differing[1].__code__.co_firstlineno
    assert error.remedy == "put each on a line of its own"


# Notebooks, prompts and text


def run_cell(text: str, name: str, namespace: dict[str, Any]) -> None:
    """Run a notebook's cell as IPython does: statement by statement, with the text known to linecache."""
    cells.remember(text, name)
    for statement in builtins.compile(text, name, "exec", 0x400, True).body:
        tree = type(compile("", "", "exec", 0x400))([statement], [])
        exec(compile(tree, name, "exec"), namespace)


def test_notebook_cells():
    namespace: dict[str, Any] = {}
    cells = {
        "/tmp/ipykernel_1/11.py": "import numpy as np\n\ndef f(x):\n    return np.sin(x)\n\ng = lambda x: f(x)\n",
        "<ipython-input-2>": "def f(x):\n    return np.cos(x)",
    }
    functions = []
    for name, text in cells.items():
        run_cell(text, name, namespace)
        functions.append(namespace["f"])
    assert [found(function) for function in functions] == [
        "def f(x):\n    return np.sin(x)",
        "def f(x):\n    return np.cos(x)",
    ]
    assert [find_source(function).file for function in functions] == list(cells)
    assert found(namespace["g"]) == "lambda x: f(x)"


def test_function_of_a_doctest():
    seen = []
    text = ">>> import numpy as np\n>>> def f(x):\n...     return np.sin(x)\n>>> look(f)\n"
    example = doctest.DocTestParser().get_doctest(text, {"look": lambda f: seen.append(found(f))}, "page", "page.md", 0)
    assert doctest.DocTestRunner().run(example).failed == 0
    assert seen == ["def f(x):\n    return np.sin(x)"]


def test_multi_line_fstring():
    def spoken(x, θ):
        print(f"""θ = {θ}
            and {
            x + 1:
                >{10}} π {θ * 2}""")
        return x * θ

    source = find_source(spoken)
    place = source.location(source.tree.body[-1])
    assert place.text[place.column : place.end_column] == "return x * θ"
    assert all(source.location(node) for node in gast.walk(source.tree))


def made_by_exec(text: str, name: str = "f") -> Any:
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    return namespace[name]


def test_function_made_by_exec_asks_for_its_text():
    error = refusal(made_by_exec("def f(x):\n    return x\n"))
    assert error.reason == "the source of 'f' cannot be found: it was made by exec, or typed at a prompt"
    assert "source=" in error.remedy


def test_given_text():
    text = "import numpy as np\n\n\ndef f(x):\n    return np.sin(x)\n\ndef g(x):\n    return x\n"
    source = find_source(made_by_exec(text), text)
    assert source.file == "<source of f>"
    assert source.tree.lineno == 4
    assert text_of(source) == "def f(x):\n    return np.sin(x)"
    assert source.location(source.tree.body[0]).text == "    return np.sin(x)"


def test_given_text_may_be_the_function_alone():
    text = "import numpy as np\n\n\ndef f(x):\n    return np.sin(x) * 2\n"
    assert found(made_by_exec(text), text[text.index("def") :]) == "def f(x):\n    return np.sin(x) * 2"


def test_given_text_may_be_indented():
    text = "    def f(x):\n        return '''a\n  b''', x\n"
    source = find_source(made_by_exec("if True:\n" + text), text)
    assert (source.tree.lineno, source.tree.col_offset) == (1, 4)
    assert source.location(source.tree.body[0]).line == 2
    assert source.tree.body[0].value.elts[0].value == "a\n  b"


def test_given_text_of_a_lambda():
    text = "f, g = lambda x: x + 1, lambda x: x + 2"
    assert found(made_by_exec(text, "g"), text) == "lambda x: x + 2"
    assert found(made_by_exec(text, "g"), "lambda x: x + 2") == "lambda x: x + 2"


def test_given_text_of_a_closure():
    text = "def outer(k):\n    def f(x):\n        return f(k * x) if k else x\n    return f\nf = outer(2)\n"
    inner = text[text.index("    def f") : text.index("    return f\n")]
    assert found(made_by_exec(text), text) == found(made_by_exec(text), inner)


def test_given_text_of_another_function_is_refused():
    function = made_by_exec("def f(x):\n    return x * 2.5\n")
    error = refusal(function, "def f(x):\n    return x * 3.5\n")
    assert error.reason == "the text given as source= defines another 'f'"
    assert error.location.text == "def f(x):"
    assert "another" in refusal(function, "def f(y):\n    return y * 2.5\n").reason
    assert "another" in refusal(function, "def f(x):\n    return x + 2.5\n").reason
    assert "another" in refusal(made_by_exec("def f(x):\n    return x**2\n"), "def f(x):\n    return x * x\n").reason
    assert "does not define 'f'" in refusal(function, "def g(x):\n    return x * 2.5\n").reason
    assert "not valid Python" in refusal(function, "def f(x:\n    return x\n").reason


def test_given_text_defines_the_name_twice():
    text = "def f(x):\n    return x * 2\nfirst = f\ndef f(x):\n    return x * 3\n"
    assert found(made_by_exec(text, "first"), text).endswith("x * 2")
    assert found(made_by_exec(text, "f"), text).endswith("x * 3")


# Files that change


def touch(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, (1, 1))


def test_function_moved_by_an_edit_above_is_found_where_it_is_now(tmp_path):
    module = write_module(tmp_path, "def g(x):\n    return x\n\ndef f(x):\n    return x * 2\n")
    touch(tmp_path / "written.py", "import numpy\n\n\ndef g(x):\n    return -x\n\n\ndef f(x):\n    return x * 2\n")
    source = find_source(module.f)
    assert source.tree.lineno == 8
    assert text_of(source) == "def f(x):\n    return x * 2"


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return x * 3\n",
        "def f(x):\n    return x + 2\n",
        "def f(y):\n    return y * 2\n",
        "\n\n\ndef f(x):\n    return x * 3\n",
        "def g(x):\n    return x * 2\n",
        "x = 1\n",
        "def f(x:\n",
        "x = '\0'\n",
        "# coding: ascii\nx = 'é'\n",
        "",
    ],
)
def test_function_changed_since_the_import_is_refused(tmp_path, text):
    module = write_module(tmp_path, "def f(x):\n    return x * 2\n")
    touch(tmp_path / "written.py", text)
    error = refusal(module.f)
    assert error.reason == "the source file no longer holds this 'f': it was changed after the import"
    assert (error.location.file, error.location.line) == (str(tmp_path / "written.py"), 1)
    assert error.remedy == "reload the module, or start Python again"


def test_lambda_changed_since_the_import_is_refused(tmp_path):
    module = write_module(tmp_path, "f = lambda x: x * 2\n")
    touch(tmp_path / "written.py", "f = lambda x: x * 3\n")
    assert "changed after the import" in refusal(module.f).reason


def test_changed_constant_in_a_function_that_asserts_is_refused(tmp_path):
    text = "def f(x):\n    assert x > 0\n    return x * {}\n"
    module = write_module(tmp_path, text.format(2.0))
    touch(tmp_path / "written.py", text.format(3.0))
    assert "changed after the import" in refusal(module.f).reason


def test_reloaded_function_is_found(tmp_path):
    module = write_module(tmp_path, "def f(x):\n    return x * 2\n")
    assert found(module.f).endswith("2")
    touch(tmp_path / "written.py", "def f(x):\n    return x * 33\n")
    assert found(import_file(tmp_path / "written.py").f).endswith("33")


def test_file_removed_since_the_import(tmp_path):
    module = write_module(tmp_path, "def f(x):\n    return x * 2\n")
    (tmp_path / "written.py").unlink()
    assert "cannot be found" in refusal(module.f).reason


# What is no Python function


def wrapped_function():
    @functools.wraps(plain)
    def wrapper(x):
        return plain(x) + 1

    return wrapper


@pytest.mark.parametrize(
    ("make", "reason", "remedy"),
    [
        (lambda: np.sin, "'sin' is a function of NumPy", "a function that calls sin"),
        (lambda: np.sum, "'sum' is a function of NumPy", "a function that calls sum"),
        (lambda: np.linalg.inv, "'inv' is a function of NumPy", "a function that calls inv"),
        (lambda: len, "'len' is written in C", "a Python function that calls len"),
        (lambda: np.zeros(3).sum, "'sum' is written in C", "a Python function that calls sum"),
        (lambda: "".join, "'join' is written in C", "a Python function that calls join"),
        (
            lambda: functools.partial(plain, 1),
            "functools.partial of 'plain'",
            "a lambda or a function that calls plain",
        ),
        (lambda: Model(), "an object of class 'Model' is not a function", "obj.__call__"),
        (lambda: operator.itemgetter(0), "'itemgetter' is written in C", "a Python function that calls itemgetter"),
        (lambda: Model, "'Model' is a class", "write a function that uses the class"),
        (lambda: float, "'float' is a class", "write a function that uses the class"),
        (lambda: 3.0, "an object of class 'float' cannot be called", "pass a function"),
        (wrapped_function, "'plain' is wrapped by 'wrapper' (" + __file__, "plain.__wrapped__"),
        (lambda: functools.lru_cache(plain), "'plain' is wrapped by _lru_cache_wrapper", "plain.__wrapped__"),
        (lambda: numba.njit(wrapped_function()), "'plain' is wrapped by 'wrapper'", "plain.__wrapped__"),
    ],
)
def test_refused_with_reason_and_remedy(make, reason, remedy):
    error = refusal(make())
    assert reason in error.reason
    assert remedy in error.remedy
    assert isinstance(error, TypeError)


def test_remedies_for_wrappers_and_callable_objects_work():
    assert found(wrapped_function().__wrapped__) == found(plain)
    assert found(Model().__call__).startswith("def __call__")


def test_printed_text_of_a_refusal():
    with pytest.raises(TypingError) as caught:
        find_source(functools.partial(plain, 1))
    assert str(caught.value) == (
        "a functools.partial of 'plain' has no source of its own\n"
        "  Instead: write a lambda or a function that calls plain with the bound arguments"
    )


def generator(x):
    yield x


async def coroutine(x):
    await asyncio.sleep(x)
    del x


async def async_generator(x):
    yield x


@pytest.mark.parametrize(("function", "lines"), [(generator, [1]), (coroutine, [0, 1]), (async_generator, [0, 1])])
def test_generators_and_coroutines_are_found_and_left_to_the_language_check(function, lines):
    source = find_source(function)
    with pytest.raises(LanguageError) as caught:
        check_language(source)
    first = function.__code__.co_firstlineno
    assert [problem.location.line - first for problem in caught.value.problems] == lines


@pytest.mark.skipif(sys.version_info < (3, 13), reason="before 3.13, Python forgets what is typed at its prompt")
def test_function_typed_at_the_prompt_is_found():
    text = "def f(x):\n    return x\n"
    code = compile(text, "<python-input-7>", "single")
    # 3.13.0 registers the text by name, later versions by code object.
    key = code if hasattr(linecache, "_getlines_from_code") else "<python-input-7>"
    linecache._register_code(key, text, "<python-input-7>")
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(code, namespace)
    assert found(namespace["f"]) == text.rstrip()


@pytest.mark.parametrize("module", [textwrap, functools, asyncio.tasks, np.polynomial.polynomial, gast.gast])
def test_every_function_of_a_module_is_found_at_its_place(module):
    functions = [f for f in vars(module).values() if hasattr(f, "__code__") and not hasattr(f, "__wrapped__")]
    assert functions
    for function in functions:
        source = find_source(function)
        start = text_of(source)
        assert start.startswith((f"def {source.name}(", f"async def {source.name}(", "lambda"))


@pytest.mark.parametrize("now", ["x + 2.0", "x * 3.0", "-x * 2.0", "x * 2.0 if x > 0 else x", "x"])
def test_function_with_an_assertion_that_was_changed_since_the_import_is_refused(tmp_path, now):
    module = write_module(tmp_path, "def f(x):\n    assert x > 0\n    return x * 2.0\n")
    touch(tmp_path / "written.py", f"def f(x):\n    assert x > 0\n    return {now}\n")
    error = refusal(module.f)
    assert error.reason == "the source file no longer holds this 'f': it was changed after the import"
