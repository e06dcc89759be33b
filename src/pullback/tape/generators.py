"""The random generators of a call that is made again: it draws from copies, which are as they were before the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from pullback.frontend.values.arguments import Form, holders_of
from pullback.frontend.values.captures import Capture
from pullback.functions.generators import FromOutside
from pullback.runtime.python.external import known
from pullback.runtime.python.generators import Stream


class Generators:
    """Copies of the generators that are among the arguments of a call, or that it uses from outside.

    leaves: the numbers and arrays of the arguments, of these Forms. captured: what stands outside. A generator is the
    number of its stream in both.
    """

    def __init__(
        self, forms: Mapping[str, Form], leaves: Sequence[Any], captures: Sequence[Capture], captured: Sequence[Any]
    ) -> None:
        holders = (holder for form in forms.values() for holder in holders_of(form))
        places = [k for k, holder in enumerate(holders) if issubclass(holder, FromOutside)]
        places += [len(leaves) + k for k, capture in enumerate(captures) if isinstance(capture.namespace, Stream)]
        values = [*leaves, *captured]
        self.copies = {k: deepcopy(known(values[k]).generator) for k in places}

    def streams(self) -> dict[int, Stream]:
        """New streams of such generators, by their places among leaves and captures: whoever uses them keeps them."""
        return {k: Stream(deepcopy(generator)) for k, generator in self.copies.items()}
