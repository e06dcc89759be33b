"""Python text as HTML with keywords, comments, strings, numbers and names of functions in colours.

>>> print(highlighted("def f(x):  # twice"))
<span style="color:#00f">def</span> <span style="color:#795e26">f</span>(x):  <span style="color:#777"># twice</span>
"""

from __future__ import annotations

import html
import io
import keyword
import tokenize

COLOURS = {
    tokenize.COMMENT: "#777",
    tokenize.STRING: "#a31515",
    tokenize.NUMBER: "#098658",
}
KEYWORD, FUNCTION = "#00f", "#795e26"


def highlighted(text: str) -> str:
    """The text as HTML; without colours where it is no whole Python."""
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    except (SyntaxError, tokenize.TokenError):
        return html.escape(text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    parts: list[str] = []
    done, before = 0, ""
    for token in tokens:
        colour = _colour(token, before)
        if colour:
            first, last = (starts[row - 1] + column for row, column in (token.start, token.end))
            parts += [html.escape(text[done:first]), f'<span style="color:{colour}">{html.escape(token.string)}</span>']
            done = last
        before = token.string
    return "".join([*parts, html.escape(text[done:])])


def _colour(token: tokenize.TokenInfo, before: str) -> str:
    if token.type != tokenize.NAME:
        return COLOURS.get(token.type, "")
    return KEYWORD if keyword.iskeyword(token.string) else FUNCTION if before == "def" else ""
