"""Generated functions as text to read: alone, or beside their primal for a notebook."""

from __future__ import annotations

import textwrap

from pullback.api.highlight import highlighted
from pullback.api.specialise import Engine
from pullback.compilation.functions import Compiled
from pullback.emission.module import emit_module


def readable(*made: Compiled) -> str:
    """The text of generated functions, to read; a backward function stands behind its forward function."""
    functions, last = [one.function for one in made], made[-1]
    return emit_module(functions, compiled=False, exact=last.options.exact, forward=last.forward).rstrip()


def html_of(engine: Engine, *kinds: str) -> str:
    """The primal and what was generated last of these kinds of request side by side, for a notebook."""
    tree, lines = engine.source.tree, engine.source.lines
    primal = textwrap.dedent("\n".join(lines[tree.lineno - 1 : tree.end_lineno]))
    found = [(request.kind, made) for (_, request), made in engine.made.items() if request.kind in kinds]
    pairs = [made for kind, made in found if kind == "split"]
    if pairs:
        generated = readable(pairs[-1].forward, pairs[-1].backward)
    elif found:
        generated = found[-1][1].text.rstrip()
    else:
        generated = "# call pb.grad, pb.value_and_grad or pb.vjp first"
    cells = "".join(
        f'<td style="vertical-align:top;text-align:left"><pre>{highlighted(text)}</pre></td>'
        for text in (primal, generated)
    )
    return f"<table><tr>{cells}</tr></table>"
