"""Desugaring: `return`, `break` and `continue` become flags and branches.

for x in xs:                       stopped = False
    if x < 0:                      for x in xs:
        break                          stopped = False
    s += x                  →          if x < 0:
                                           stopped = True
                                       else:
                                           s += x
                                       if stopped: break
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from pullback.frontend.source.patterns import branches_of

RESULT = "<result>"


@dataclass(frozen=True, slots=True)
class _Jump:
    """A placeholder statement: leave, because the function has returned already."""

    node: Any


@dataclass(frozen=True, slots=True)
class _Flags:
    """The flags that a jump sets: those that skip what follows, the loop's, and the function's."""

    skips: tuple[str, ...] = ()
    stopped: str = ""
    returned: str = ""

    def skipping(self, skip: str) -> _Flags:
        return _Flags((*self.skips, skip), self.stopped, self.returned)


def desugar(body: list[Any]) -> list[Any]:
    """The statements of a function without jumps; what it returns is assigned to RESULT.

    One that returns a value, and may reach its end without doing so, returns None there.
    """
    if _contains(body, gast.Return, into_loops=True) and _may_end(body):
        body = [*body, gast.copy_location(gast.Return(None), body[-1])]
    return _Desugar().block(body, _Flags())


class _Desugar:
    def __init__(self) -> None:
        self.count = 0

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"<{stem} {self.count}>"

    def block(self, statements: list[Any], flags: _Flags) -> list[Any]:
        lowered: list[Any] = []
        for k, statement in enumerate(statements):
            rest = statements[k + 1 :]
            match statement:
                case gast.Return():
                    value = statement.value or gast.Constant(None, None)
                    return [*lowered, _assign(RESULT, value, statement), *self.jump(flags, statement, True)]
                case _Jump():
                    return [*lowered, *self.jump(flags, statement.node, True)]
                case gast.Break():
                    return [*lowered, *self.jump(flags, statement, False)]
                case gast.Continue():
                    return [*lowered, *_set(flags.skips, True, statement)]
                case gast.If() if _jumps(statement):
                    return [*lowered, *self.branch(statement, rest, flags)]
                case gast.While() if _assigns(statement.test):
                    return [*lowered, *self.block([_tested_inside(statement), *rest], flags)]
                case gast.For() | gast.While():
                    before, after = self.loop(statement)
                    lowered += before
                    if after:
                        return [*lowered, *self.block([*after, *rest], flags)]
                case gast.Match():
                    made = branches_of(statement, self.fresh("subject"), self.fresh("matched"))
                    return [*lowered, *self.block([*made, *rest], flags)]
                case gast.Try():
                    return [*lowered, *self.guarded(statement, rest, flags)]
                case gast.With() if is_passive(statement):
                    empty = gast.With(items=statement.items, body=[], type_comment=None)
                    lowered.append(gast.copy_location(empty, statement))
                    return [*lowered, *self.block([*statement.body, *rest], flags)]
                case gast.With():
                    fields = {"items": statement.items, "body": self.block(statement.body, _Flags())}
                    lowered.append(gast.copy_location(gast.With(**fields, type_comment=None), statement))
                case gast.If():
                    body, orelse = self.block(statement.body, flags), self.block(statement.orelse, flags)
                    lowered.append(_if(statement.test, body, orelse, statement))
                case _:
                    lowered.append(statement)
        return lowered

    def jump(self, flags: _Flags, node: Any, returns: bool) -> list[Any]:
        names = list(flags.skips)
        if flags.stopped:
            names.append(flags.stopped)
        if returns and flags.returned:
            names.append(flags.returned)
        return _set(tuple(names), True, node)

    def branch(self, node: Any, rest: list[Any], flags: _Flags) -> list[Any]:
        """A branch that may jump: what follows moves into the path that goes on, or behind a flag."""
        if _always_jumps(node.body):
            orelse = self.block([*node.orelse, *rest], flags)
            return [_if(node.test, self.block(node.body, flags), orelse, node)]
        if _always_jumps(node.orelse):
            body = self.block([*node.body, *rest], flags)
            return [_if(node.test, body, self.block(node.orelse, flags), node)]
        if not rest:
            return [_if(node.test, self.block(node.body, flags), self.block(node.orelse, flags), node)]
        skip = self.fresh("skip")
        inner = flags.skipping(skip)
        branch = _if(node.test, self.block(node.body, inner), self.block(node.orelse, inner), node)
        guarded = _if(_not(skip, node), self.block(rest, flags), [], rest[0] if hasattr(rest[0], "lineno") else node)
        return [*_set((skip,), False, node), branch, guarded]

    def guarded(self, node: Any, rest: list[Any], flags: _Flags) -> list[Any]:
        """A `try` whose parts have no jumps; what follows it stands behind a flag if they had some."""
        jumps = any(_jumps_in(part) for part in (node.body, node.orelse))
        skip = self.fresh("skip") if jumps else ""
        inner = flags.skipping(skip) if jumps else flags
        body, orelse = self.block(node.body, inner), self.block(node.orelse, inner)
        if jumps and orelse:
            orelse = [_if(_not(skip, node), orelse, [], node)]
        handlers = [
            gast.copy_location(gast.ExceptHandler(h.type, h.name, self.block(h.body, _Flags())), h)
            for h in node.handlers
        ]
        made = gast.copy_location(gast.Try(body, handlers, orelse, self.block(node.finalbody, _Flags())), node)
        following = self.block(rest, flags)
        if not jumps:
            return [made, *following]
        guarded = [_if(_not(skip, node), following, [], rest[0])] if following else []
        return [*_set((skip,), False, node), made, *guarded]

    def loop(self, node: Any) -> tuple[list[Any], list[Any]]:
        """The loop with a flag for leaving it, and what must come after it."""
        breaks, returns = _contains(node.body, gast.Break), _contains(node.body, gast.Return, into_loops=True)
        stopped = self.fresh("stopped") if breaks or returns else ""
        returned = self.fresh("returned") if returns else ""
        names = tuple(name for name in (stopped, returned) if name)
        body = [*_set(names, False, node), *self.block(node.body, _Flags((), stopped, returned))]
        if stopped:
            leave = gast.Break()
            gast.copy_location(leave, node)
            body.append(_if(_name(stopped, node), [leave], [], node))
        fields = {name: getattr(node, name) for name in node._fields}
        fields.update(body=body, orelse=[])
        lowered = gast.copy_location(type(node)(**fields), node)
        after: list[Any] = []
        if returned:
            after.append(_if(_name(returned, node), [_Jump(node)], [], node))
        if node.orelse:
            after += [_if(_not(stopped, node), node.orelse, [], node)] if stopped else node.orelse
        return [*_set(names, False, node), lowered], after


def _may_end(statements: list[Any]) -> bool:
    """Whether the end of a block may be reached."""
    for statement in statements:
        match statement:
            case gast.Return() | gast.Raise() | gast.Break() | gast.Continue():
                return False
            case gast.If() if not _may_end(statement.body) and not _may_end(statement.orelse):
                return False
            case gast.While(test=gast.Constant(value=true)) if true and not _contains(statement.body, gast.Break):
                return False
            case gast.For() | gast.While() if statement.orelse and not _contains(statement.body, gast.Break):
                if not _may_end(statement.orelse):
                    return False
            case gast.With() if not _may_end(statement.body):
                return False
    return True


def _contains(statements: list[Any], kind: type, into_loops: bool = False) -> bool:
    """Whether a jump of this kind stands in the statements, without nested functions (and inner loops)."""
    for statement in statements:
        if isinstance(statement, (kind, _Jump)):
            return True
        if isinstance(statement, gast.If) and _contains([*statement.body, *statement.orelse], kind, into_loops):
            return True
        if isinstance(statement, gast.With) and _contains(statement.body, kind, into_loops):
            return True
        if isinstance(statement, gast.Try) and _contains(
            [*statement.body, *statement.orelse, *statement.finalbody], kind, into_loops
        ):
            return True
        if isinstance(statement, gast.Match) and any(_contains(c.body, kind, into_loops) for c in statement.cases):
            return True
        if isinstance(statement, gast.For | gast.While):
            inside = statement.body if into_loops else []
            if _contains([*inside, *statement.orelse], kind, into_loops):
                return True
    return False


def _jumps(node: Any) -> bool:
    return _jumps_in([node])


def _jumps_in(statements: list[Any]) -> bool:
    kinds = (gast.Break, gast.Continue)
    return any(_contains(statements, kind) for kind in kinds) or _contains(statements, gast.Return, into_loops=True)


def _assigns(test: Any) -> bool:
    """Whether an expression has an assignment in it."""
    return any(isinstance(part, gast.NamedExpr) for part in gast.walk(test))


def _tested_inside(node: Any) -> Any:
    """`while test: …` as `while True: …` that is left where the test fails."""
    leave = gast.copy_location(gast.Break(), node)
    test = gast.copy_location(gast.UnaryOp(gast.Not(), node.test), node.test)
    body = [_if(test, [*node.orelse, leave], [], node), *node.body]
    return gast.copy_location(gast.While(gast.copy_location(gast.Constant(True, None), node), body, []), node)


def is_passive(node: Any) -> bool:
    """Whether a with-statement is one of those that only decide about warnings, by its name."""
    names = [call_name(item.context_expr) for item in node.items]
    bound = [name for name, item in zip(names, node.items, strict=True) if item.optional_vars is not None]
    return all(name in PASSIVE for name in names) and all(name in BARS for name in bound)


def call_name(call: Any) -> str:
    """The last name of what a call calls; "" for anything else."""
    function = getattr(call, "func", None)
    return str(getattr(function, "attr", getattr(function, "id", "")))


BARS = ("tqdm", "trange", "tqdm_notebook", "tnrange")
PASSIVE = ("errstate", "catch_warnings", "printoptions", *BARS)


def _always_jumps(statements: list[Any]) -> bool:
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, gast.Return | gast.Break | gast.Continue | _Jump):
        return True
    return isinstance(last, gast.If) and _always_jumps(last.body) and _always_jumps(last.orelse)


def _name(name: str, node: Any) -> Any:
    return gast.copy_location(gast.Name(name, gast.Load(), None, None), node)


def _not(name: str, node: Any) -> Any:
    return gast.copy_location(gast.UnaryOp(gast.Not(), _name(name, node)), node)


def _if(test: Any, body: list[Any], orelse: list[Any], node: Any) -> Any:
    return gast.copy_location(gast.If(test, body, orelse), node)


def _assign(name: str, value: Any, node: Any) -> Any:
    if not hasattr(value, "lineno"):
        gast.copy_location(value, node)
    target = gast.copy_location(gast.Name(name, gast.Store(), None, None), node)
    return gast.copy_location(gast.Assign([target], value, None), node)


def _set(names: tuple[str, ...], value: bool, node: Any) -> list[Any]:
    return [_assign(name, gast.Constant(value, None), node) for name in names]
