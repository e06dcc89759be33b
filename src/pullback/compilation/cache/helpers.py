"""Compiled helpers as files of the cache: each is compiled once on a machine, for all gradients that use it."""

from __future__ import annotations

import hashlib
import pickle

from numba.core import serialize
from numba.core.registry import cpu_target

from pullback.compilation.cache import files
from pullback.compilation.cache.fingerprints import key_of
from pullback.compilation.cache.folder import logger
from pullback.compilation.cache.machine_code import machine
from pullback.runtime.codegen.kept_callees import Pieces


class HelperFiles:
    """A file for each helper and combination of types."""

    def load(self, identity: str) -> Pieces | None:
        """What was kept of a helper."""
        name, key = _file_of(identity)
        contents = files.load(name, key)
        try:
            return None if contents is None else Pieces(*pickle.loads(contents))
        except Exception as error:
            self.discard(identity, error)
            return None

    def save(self, identity: str, pieces: Pieces) -> None:
        """Keep a helper, where that can be."""
        name, key = _file_of(identity)
        try:
            files.save(name, key, serialize.dumps(tuple(pieces)))
        except Exception as error:
            logger.debug("%s cannot be kept: %r", name, error)

    def discard(self, identity: str, error: Exception) -> None:
        """Remove what turned out to be of no use."""
        name, _ = _file_of(identity)
        logger.debug("%s cannot be used: %r", name, error)
        files.discard(name)


def _file_of(identity: str) -> tuple[str, str]:
    """The name and the key of the file on this kind of machine."""
    key = "\0".join([key_of(identity), *machine(cpu_target.target_context.codegen())])
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return f"helper_{digest[:20]}.helper", key
