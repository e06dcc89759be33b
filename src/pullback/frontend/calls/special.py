"""All functions that mean something to the reader itself, where others are applied to operands."""

from __future__ import annotations

from pullback.frontend.calls.builtin import BUILTIN
from pullback.frontend.calls.classes import CLASSES
from pullback.frontend.calls.combinations import COMBINATIONS
from pullback.frontend.calls.complex_numbers import COMPLEX_NUMBERS
from pullback.frontend.calls.creation import CREATION
from pullback.frontend.calls.draws import DRAWS
from pullback.frontend.calls.iteration import ITERATION
from pullback.frontend.calls.mathematics import MATHEMATICS
from pullback.frontend.calls.meaning import Meanings
from pullback.frontend.calls.partial import PARTIAL
from pullback.frontend.calls.records import RECORDS
from pullback.frontend.calls.rounding import ROUNDING
from pullback.frontend.calls.sequences import SEQUENCES
from pullback.frontend.calls.surroundings import SURROUNDINGS
from pullback.frontend.calls.views import VIEWS

_OF_PYTHON = {**BUILTIN, **CLASSES, **RECORDS, **ITERATION, **SEQUENCES, **COMBINATIONS, **PARTIAL, **MATHEMATICS}
SPECIAL = Meanings({**_OF_PYTHON, **CREATION, **VIEWS, **COMPLEX_NUMBERS, **ROUNDING, **DRAWS, **SURROUNDINGS})
