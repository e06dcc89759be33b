"""One kind of call of a differentiable function: what is compiled for it."""

from __future__ import annotations

from typing import Any

from pullback.api.calling import call_entry, converted, strong
from pullback.api.prepared import Prepared
from pullback.api.specialise import Engine, build_for
from pullback.compilation.entrance import Entrance
from pullback.compilation.functions import Compiled
from pullback.frontend.build import Built
from pullback.frontend.values.arguments import Form, Leaf, leaf_types, rebuild
from pullback.ir.types import Type


class PreparedPrimal(Prepared):
    """One kind of call of the function itself."""

    def __init__(self, entrance: Entrance, engine: Engine, forms: dict[str, Form], built: Built) -> None:
        super().__init__(entrance, engine, forms, built)
        self.compiled: Compiled = built.code.derivative("primal", ())

    @staticmethod
    def of(entrance: Entrance, engine: Engine, bound: dict[str, Any]) -> PreparedPrimal:
        """What is compiled for these arguments."""
        return PreparedPrimal(entrance, engine, *build_for(engine, bound))

    def called(self, leaves: list[Any]) -> Any:
        """The call with the leaves of the arguments."""
        results = call_entry(self.compiled, self.built, leaves)
        types = leaf_types(self.built.result)
        return rebuild(self.built.result, iter([strong(v, t) for v, t in zip(results, types, strict=True)]))

    def code(self) -> Compiled:
        return self.compiled

    def returned(self) -> str | None:
        result = self.built.result
        return converted("r0", result.type) if isinstance(result, Leaf) else None

    def boxed(self) -> list[Type] | None:
        result = self.built.result
        return [result.type] if isinstance(result, Leaf) else None
