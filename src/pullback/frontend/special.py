"""All functions that mean something to the reader itself, where others are applied to operands."""

from __future__ import annotations

from pullback.frontend.builtin import BUILTIN
from pullback.frontend.creation import CREATION
from pullback.frontend.iteration import ITERATION
from pullback.frontend.mathematics import MATHEMATICS
from pullback.frontend.meaning import Meanings
from pullback.frontend.views import VIEWS

SPECIAL = Meanings({**BUILTIN, **ITERATION, **CREATION, **VIEWS, **MATHEMATICS})
