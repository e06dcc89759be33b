"""The words of a command become a function, and arguments for it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from pullback.api.differentiable import engine_of
from pullback.api.signatures import forms_for
from pullback.errors import TypingError
from pullback.frontend.values.arguments import leaf_types
from pullback.ir.types import Array, Type, is_complex, is_float

EXTENT = 3
"""The extent of each axis of arguments that are made up."""


def function_named(target: str) -> Any:
    """What `package.module:function` names, or `folder/file.py:function`. Raises TypingError where nothing does."""
    home, _, name = target.partition(":")
    if not home or not name:
        raise TypingError(f"'{target}' names no function", None, "write it as package.module:function")
    found: Any = _module(home)
    for part in name.split("."):
        if not hasattr(found, part):
            known = sorted(n for n, v in vars(found).items() if _is_own(v, found) and not n.startswith("_"))
            remedy = f"its functions are {', '.join(known)}" if known else "it has none"
            raise TypingError(f"'{home}' has no '{name}'", None, remedy)
        found = getattr(found, part)
    return found


def _is_own(value: Any, home: Any) -> bool:
    return callable(value) and getattr(value, "__module__", None) == getattr(home, "__name__", None)


def _module(home: str) -> ModuleType:
    """The module of this name, or in this file."""
    try:
        return _module_in(Path(home)) if home.endswith(".py") else importlib.import_module(home)
    except TypingError:
        raise
    except ModuleNotFoundError as error:
        remedy = "run the command in the folder that holds it, or put that into PYTHONPATH"
        raise TypingError(f"the module '{home}' cannot be imported: {error}", None, remedy) from None
    except Exception as error:
        reason = f"the module '{home}' cannot be imported: {type(error).__name__}: {error}"
        raise TypingError(reason, None, "see that it runs by itself") from error


def _module_in(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise TypingError(f"there is no file '{path}'", None, "give the path from the current folder")
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments_for(function: Any, signature: str | None, text: str | None, seed: int = 0) -> tuple[Any, ...]:
    """The arguments in a text of Python, such as `np.ones(3), 2.0`, or made up for a signature.

    Raises TypingError where there is neither, and the function has parameters; and for a text that gives none.
    """
    engine = engine_of(function)
    if text is not None:
        try:
            return tuple(eval(f"({text},)" if text.strip() else "()", {"np": np, **engine.source.function.__globals__}))
        except Exception as error:
            reason = f"the arguments {text!r} cannot be evaluated: {type(error).__name__}: {error}"
            raise TypingError(reason, None, "write them as in a call: np.ones(3), 2.0") from None
    if signature is None and engine.signature.parameters:
        names = ", ".join(engine.signature.parameters)
        raise TypingError(f"'{engine.name}' takes {names}", None, "add --signature or --arguments")
    generator = np.random.default_rng(seed)
    types = [type_ for form in forms_for(engine, signature or "()").values() for type_ in leaf_types(form)]
    return tuple(_made_up(type_, generator) for type_ in types)


def _made_up(type_: Type, generator: np.random.Generator) -> Any:
    """An argument of a type: floats between 0.5 and 1.5, integers that count from 1 on."""
    shape = (EXTENT,) * type_.ndim if isinstance(type_, Array) else ()
    count = int(np.prod(shape, dtype=int))
    if is_float(type_):
        elements = generator.uniform(0.5, 1.5, count).astype(type_.dtype)
    if is_complex(type_):
        elements = elements + generator.uniform(0.5, 1.5, count).astype(type_.dtype) * 1j
    if not is_float(type_):
        elements = (1 + np.arange(count) % EXTENT).astype(type_.dtype)
    made = elements.reshape(shape)
    if isinstance(type_, Array):
        return made
    return made.item() if type_.weak else made[()]
