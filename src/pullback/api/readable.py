"""Generated functions as text to read: alone, or beside their primal for a notebook."""

from __future__ import annotations

import html

from pullback.api.specialise import Engine
from pullback.compile.functions import Compiled
from pullback.emit.module import emit_module


def readable(*made: Compiled) -> str:
    """The text of generated functions, to read; a backward function stands behind its forward function."""
    functions, last = [one.function for one in made], made[-1]
    return emit_module(functions, compiled=False, exact=last.options.exact, forward=last.forward).rstrip()


def html_of(engine: Engine) -> str:
    """The primal and the latest backward function side by side, for a notebook."""
    tree, lines = engine.source.tree, engine.source.lines
    primal = "\n".join(lines[tree.lineno - 1 : tree.end_lineno])
    pairs = [made for (_, request), made in engine.made.items() if request.kind == "split"]
    joints = [made for (_, request), made in engine.made.items() if request.kind in ("value_and_grad", "grad")]
    if pairs:
        backward = readable(pairs[-1].backward)
    elif joints:
        backward = joints[-1].text
    else:
        backward = "# call pb.grad or pb.value_and_grad first"
    cells = "".join(
        f'<td style="vertical-align:top;text-align:left"><pre>{html.escape(text)}</pre></td>'
        for text in (primal, backward)
    )
    return f"<table><tr>{cells}</tr></table>"
