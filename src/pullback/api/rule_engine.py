"""The engine of a function with a rule of its user's."""

from __future__ import annotations

from typing import Any

from pullback.api.specialise import Engine
from pullback.frontend.build import Built, build
from pullback.frontend.values.arguments import Form


class RuleEngine(Engine):
    """What is known of a function with a rule: the normal forms of calls of it."""

    def __init__(self, function: Any) -> None:
        super().__init__(function.__wrapped__, function.options, function._text)
        self.with_rule = function

    def __reduce__(self) -> tuple[Any, ...]:
        return _engine_of, (self.with_rule, self.options.nan)

    def made_for(self, forms: dict[str, Form], numbers: bool) -> Built:
        """The normal form of a call with arguments of these Forms."""
        return build(self.source, forms, numbers=numbers, called=self.with_rule)


def _engine_of(function: Any, nan: str | None) -> Engine:
    engine: Engine = function.engine
    return engine.with_nan(nan)
