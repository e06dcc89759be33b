"""The engine of a derivative that is called, or differentiated, like any function."""

from __future__ import annotations

import inspect
from typing import Any

from pullback.api.specialise import Engine
from pullback.errors import TypingError
from pullback.frontend.build import Built, build
from pullback.frontend.derivatives.parameters import with_direction
from pullback.frontend.source.derivations import MARK, Derivation
from pullback.frontend.source.finding import Source
from pullback.frontend.source.star_parameters import STARS
from pullback.frontend.values.arguments import Form


class DerivativeEngine(Engine):
    """What is known of a derivative: the function behind it, and the normal forms of calls of the derivative."""

    def __init__(self, derivative: Any, of: Engine) -> None:
        self.looking = None
        self.derivative, self.of = derivative, of
        self.options, self.receiver = of.options, of.receiver
        self.name, self.text, self.refer = derivative.__name__, of.text, of.refer
        self.built = {}

    @property
    def function(self) -> Any:
        """The function that the user has given."""
        return self.of.function

    @property
    def parts(self) -> tuple[Any, ...]:  # type: ignore[override]
        """What the function is made of, as it was read."""
        return self.of.parts

    @property
    def text_of_function(self) -> Any:  # type: ignore[override]
        """The function's tree, its file, and the lines of that."""
        return self.of.text_of_function

    @property
    def source(self) -> Source:
        """The function with its text."""
        return self.of.source

    @property
    def signature(self) -> inspect.Signature:  # type: ignore[override]
        """The parameters: those of the function, with a direction among them where there is one."""
        derivation: Derivation = getattr(self.derivative, MARK)
        parameters = dict(self.of.signature.parameters)
        own = list(parameters)[self.receiver is not None :]
        names = [*list(parameters)[: self.receiver is not None], *with_direction(derivation, own)]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        made = [parameters.get(name) or inspect.Parameter(name, kind) for name in names]
        added = [k for k, name in enumerate(names) if name not in parameters]
        first = added[0] if added else 0
        if any(parameter.kind in STARS for parameter in made[:first]):
            reason = f"'{self.name}' takes a direction behind the arguments of '*', whose number is not known"
            raise TypingError(reason, None, "take the derivative of a function that names its arguments")
        made[:first] = [parameter.replace(default=parameter.empty) for parameter in made[:first]]
        return inspect.Signature(made)

    def is_current(self) -> bool:
        """Whether the function is made of the same code and defaults as when it was read."""
        return self.of.is_current()

    def read(self) -> None:
        """Find the source of the function as it is now."""
        self.of.read()

    def __reduce__(self) -> tuple[Any, ...]:
        return _engine_of, (self.derivative, self.options.nan)

    def made_with_nan(self, nan: str) -> Engine:
        return DerivativeEngine(self.derivative, self.of.with_nan(nan))

    def made_for(self, forms: dict[str, Form], numbers: bool) -> Built:
        """The normal form of a call of the derivative with arguments of these Forms."""
        name = self.name if self.name.isidentifier() else self.name.replace("<lambda>", "function")
        return build(self.source, forms, name, numbers, self.derivative)


def _engine_of(derivative: Any, nan: str | None) -> Engine:
    engine: Engine = derivative.as_function
    return engine.with_nan(nan)
