"""gast → text: astunparse with parentheses only where they are needed, subscripts as Python writes them, and comments.

A comment is an expression statement whose constant starts with COMMENT. Each text is parsed back and compared with the
tree that was printed, so that what is read and compiled is what was meant.
"""

from __future__ import annotations

import ast
import io
import math
from typing import Any

import astunparse
import gast

from pullback.errors import PullbackError
from pullback.ir.syntax import parse
from pullback.runtime.codegen.contraction import ENDING

COMMENT = "\0# "
CONTRACTED = COMMENT + "\0"
"""What is written before a statement whose products and sums may be contracted."""

_BINARY = {
    "Add": ("+", 12),
    "Sub": ("-", 12),
    "Mult": ("*", 13),
    "Div": ("/", 13),
    "FloorDiv": ("//", 13),
    "Mod": ("%", 13),
    "MatMult": ("@", 13),
    "Pow": ("**", 15),
    "BitAnd": ("&", 10),
    "BitOr": ("|", 8),
    "BitXor": ("^", 9),
    "LShift": ("<<", 11),
    "RShift": (">>", 11),
}
_COMPARE = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}
_TEST, _OR, _AND, _NOT, _COMPARISON, _UNARY, _ATOM = 1, 3, 4, 5, 6, 14, 18


def to_text(tree: Any) -> str:
    """The text of a gast module. Raises PullbackError if it does not read back as the same tree."""
    module = gast.gast_to_ast(tree)
    stream = io.StringIO()
    Printer(module, file=stream)
    text, lines = _without_marks(stream.getvalue().strip("\n") + "\n")
    if lines:
        text += f"\n\n{ENDING}{', '.join(map(str, lines))}\n"
    meant = _Spelled().visit(_Stripper().visit(module))
    if not _reads_as(text, meant):  # not an assertion, which `python -O` leaves out: the text is going to be run
        raise PullbackError("the generated text is not the program that was meant; please report this function")
    return text


def _without_marks(text: str) -> tuple[str, list[int]]:
    """A text without the lines that mark the next one as contracted, and the numbers of those."""
    kept: list[str] = []
    marked: list[int] = []
    for line in text.split("\n"):
        if line.strip() == CONTRACTED[len(COMMENT) - 2 :]:
            marked.append(len(kept) + 1)
        else:
            kept.append(line)
    return "\n".join(kept), marked


def comment(text: str) -> Any:
    r"""A comment line as a statement. What would end the line, or cannot be seen in it, is written as an escape.

    >>> comment("a\nb.py:1: return x").value.value
    '\x00# a\\nb.py:1: return x'
    """
    return gast.Expr(gast.Constant(COMMENT + _on_a_line(text.replace("\t", " ")), None))


def _on_a_line(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def contracted() -> Any:
    """The mark before a statement whose products and sums may be contracted."""
    return gast.Expr(gast.Constant(CONTRACTED, None))


def is_comment(node: Any) -> bool:
    """Whether a statement, of gast or ast, is a comment line."""
    value = getattr(node, "value", None)
    constant = isinstance(node, ast.Expr | gast.Expr) and isinstance(value, ast.Constant | gast.Constant)
    return constant and str(value.value).startswith(COMMENT)


class _Stripper(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> Any:
        return None if is_comment(node) else node


class _Spelled(ast.NodeTransformer):
    """Spells constants as texts do: negative numbers with an operator.

    The letters of strings become numbers: `ast.unparse` does not write all of them so that they can be read.
    """

    def visit_Constant(self, node: ast.Constant) -> Any:
        value = node.value
        if isinstance(value, str):
            return ast.copy_location(ast.Constant(value.encode("utf-8", "surrogatepass").hex()), node)
        if isinstance(value, int | float) and (value < 0 or (value == 0 and math.copysign(1.0, value) < 0)):
            return ast.copy_location(ast.UnaryOp(ast.USub(), ast.Constant(-value)), node)
        if isinstance(value, complex) and value.real:
            return ast.copy_location(self.visit(ast.parse(repr(value), mode="eval").body), node)
        return node


def _reads_as(text: str, meant: Any) -> bool:
    """Whether a text reads as a tree with its constants spelled so, or as another one that Python writes alike."""
    try:
        read = ast.dump(_Spelled().visit(parse(text)))
        return read == ast.dump(meant) or read == ast.dump(parse(ast.unparse(ast.fix_missing_locations(meant))))
    except (SyntaxError, ValueError):
        return False


class Printer(astunparse.Unparser):
    """Prints the node kinds that we generate; anything else is printed by astunparse."""

    def __init__(self, tree: Any, file: Any) -> None:
        self.strength = 0
        super().__init__(tree, file=file)

    def operand(self, node: Any, strength: int) -> None:
        """Print an operand of an operator that binds this strongly."""
        outer, self.strength = self.strength, strength
        self.dispatch(node)
        self.strength = outer

    def wrapped(self, strength: int, parts: Any) -> None:
        """Print in parentheses where the operator around binds more strongly."""
        bare = strength >= self.strength
        outer, self.strength = self.strength, 0
        self.write("" if bare else "(")
        parts()
        self.write("" if bare else ")")
        self.strength = outer

    def fresh(self, node: Any) -> None:
        self.operand(node, 0)

    def _Expr(self, tree: Any) -> None:
        if is_comment(tree):
            self.fill(tree.value.value[len(COMMENT) - 2 :])
            return
        self.fill()
        self.fresh(tree.value)

    def _BinOp(self, tree: Any) -> None:
        symbol, strength = _BINARY[type(tree.op).__name__]

        def parts() -> None:
            power = symbol == "**"
            self.operand(tree.left, strength + power)
            self.write(f" {symbol} ")
            self.operand(tree.right, _UNARY if power else strength + 1)

        self.wrapped(strength, parts)

    def _UnaryOp(self, tree: Any) -> None:
        kind = type(tree.op).__name__
        strength = _NOT if kind == "Not" else _UNARY

        def parts() -> None:
            self.write({"Not": "not ", "USub": "-", "UAdd": "+", "Invert": "~"}[kind])
            self.operand(tree.operand, strength)

        self.wrapped(strength, parts)

    def _Compare(self, tree: Any) -> None:
        def parts() -> None:
            self.operand(tree.left, _COMPARISON + 1)
            for op, comparator in zip(tree.ops, tree.comparators, strict=True):
                self.write(f" {_COMPARE[type(op).__name__]} ")
                self.operand(comparator, _COMPARISON + 1)

        self.wrapped(_COMPARISON, parts)

    def _BoolOp(self, tree: Any) -> None:
        word, strength = ("and", _AND) if isinstance(tree.op, ast.And) else ("or", _OR)

        def parts() -> None:
            for k, value in enumerate(tree.values):
                self.write(f" {word} " if k else "")
                self.operand(value, strength + 1)

        self.wrapped(strength, parts)

    def _IfExp(self, tree: Any) -> None:
        def parts() -> None:
            self.operand(tree.body, _TEST + 1)
            self.write(" if ")
            self.operand(tree.test, _TEST + 1)
            self.write(" else ")
            self.operand(tree.orelse, _TEST)

        self.wrapped(_TEST, parts)

    def _Constant(self, tree: Any) -> None:
        value = tree.value
        if value is Ellipsis:
            self.write("...")
        elif isinstance(value, float) and (value != value or abs(value) == float("inf")):
            raise AssertionError("infinities and NaN are printed as names")
        elif isinstance(value, int | float) and not isinstance(value, bool) and str(value).startswith("-"):
            self.wrapped(_UNARY, lambda: self.write(repr(value)))
        else:
            self.write(repr(value))

    def _fstring_Constant(self, tree: Any, write: Any) -> None:
        text = _on_a_line(tree.value.replace("\\", "\\\\")).replace("{", "{{").replace("}", "}}")
        write(text.replace('"', '\\"') if "'" in text else text)

    def _Attribute(self, tree: Any) -> None:
        self.operand(tree.value, _ATOM)
        self.write("." + tree.attr)

    def _Subscript(self, tree: Any) -> None:
        self.operand(tree.value, _ATOM)
        self.write("[")
        if isinstance(tree.slice, ast.Tuple) and tree.slice.elts:
            for k, element in enumerate(tree.slice.elts):
                self.write(", " if k else "")
                self.fresh(element)
            self.write("," if len(tree.slice.elts) == 1 else "")
        else:
            self.fresh(tree.slice)
        self.write("]")

    def _Slice(self, tree: Any) -> None:
        if tree.lower:
            self.fresh(tree.lower)
        self.write(":")
        if tree.upper:
            self.fresh(tree.upper)
        if tree.step:
            self.write(":")
            self.fresh(tree.step)

    def _Call(self, tree: Any) -> None:
        self.operand(tree.func, _ATOM)
        self.write("(")
        for k, argument in enumerate([*tree.args, *tree.keywords]):
            self.write(", " if k else "")
            self.fresh(argument)
        self.write(")")

    def _Tuple(self, tree: Any) -> None:
        def parts() -> None:
            for k, element in enumerate(tree.elts):
                self.write(", " if k else "")
                self.operand(element, _TEST)
            self.write("," if len(tree.elts) == 1 else "")

        bare = self.bare_tuple
        self.bare_tuple = False
        self.write("" if bare and tree.elts else "(")
        outer, self.strength = self.strength, 0
        parts()
        self.strength = outer
        self.write("" if bare and tree.elts else ")")

    bare_tuple = False

    def _Assign(self, tree: Any) -> None:
        self.fill()
        for target in tree.targets:
            self.bare_tuple = isinstance(target, ast.Tuple)
            self.fresh(target)
            self.write(" = ")
        self.bare_tuple = isinstance(tree.value, ast.Tuple) and len(tree.value.elts) > 1
        self.fresh(tree.value)
        self.bare_tuple = False

    def _Return(self, tree: Any) -> None:
        self.fill("return")
        if tree.value is not None:
            self.write(" ")
            self.bare_tuple = isinstance(tree.value, ast.Tuple) and len(tree.value.elts) > 1
            self.fresh(tree.value)
            self.bare_tuple = False

    def _If(self, tree: Any) -> None:
        self.fill("if ")
        self.fresh(tree.test)
        self.enter()
        self.dispatch(tree.body)
        self.leave()
        orelse = tree.orelse
        while len(orelse) == 1 and isinstance(orelse[0], ast.If):
            self.fill("elif ")
            self.fresh(orelse[0].test)
            self.enter()
            self.dispatch(orelse[0].body)
            self.leave()
            orelse = orelse[0].orelse
        if orelse:
            self.fill("else")
            self.enter()
            self.dispatch(orelse)
            self.leave()

    def _arguments(self, tree: Any) -> None:
        self.write(", ".join(argument.arg for argument in tree.args))

    def _FunctionDef(self, tree: Any) -> None:
        self.write("\n\n")
        for decorator in tree.decorator_list:
            self.fill("@")
            self.fresh(decorator)
        self.fill(f"def {tree.name}(")
        self.dispatch(tree.args)
        self.write(")")
        self.enter()
        self.dispatch(tree.body)
        self.leave()
