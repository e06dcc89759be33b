"""What goes with tensors from layer to layer: masks, which say what times of a sequence count, and logits."""

from __future__ import annotations

from typing import Any

from pullback.tape import Tensor
from pullback.tape.nest import flatten, rebuilt
from pullback.tape.tensor import as_recorded
from pullback.tf.values import bare


class Noted(Tensor):
    """A tensor with what layers and losses know of it besides: what tapes know of the tensor holds for it.

    `_mask` is an array of truth values. `_logits` is the tensor that a sigmoid or softmax made this one of.

    >>> import pullback.tf as tf
    >>> tf.keras.layers.Masking()(tf.constant([[[1.0], [0.0]]]))._mask
    array([[ True, False]])
    """

    __slots__ = ("_logits", "_mask")

    def __init__(self, tensor: Tensor, mask: Any = None, logits: Any = None) -> None:
        self._value, self._key = tensor._value, tensor._key
        self._mask = None if mask is None else bare(mask).astype(bool)
        self._logits = logits

    def __repr__(self) -> str:
        return repr(as_recorded(self))


def logits_of(tensor: Any) -> Any:
    """The logits that a tensor of probabilities was made of, or None."""
    return getattr(tensor, "_logits", None)


def mask_of(structure: Any) -> Any:
    """The mask of a tensor or None; those of the items of a list, or None where none has one."""
    if isinstance(structure, list | tuple):
        found = [mask_of(one) for one in structure]
        return None if all(one is None for one in found) else found
    return getattr(structure, "_mask", None)


def with_masks(outputs: Any, masks: Any) -> Any:
    """Outputs with their masks: one, or a list of one for each, of which some may be None."""
    given, leaves = masks if isinstance(masks, list | tuple) else [masks], flatten(outputs)
    given = [*given, *[None] * (len(leaves) - len(given))]
    made = [
        Noted(one, mask, logits_of(one))
        if mask is not None and isinstance(one, Tensor) and mask_of(one) is None
        else one
        for one, mask in zip(leaves, given, strict=False)
    ]
    return rebuilt(outputs, made)


def handed_on(layer: Any, arguments: tuple[Any, ...], mask: Any, outputs: Any) -> Any:
    """The outputs of a layer with what it makes of the mask that it was given, or of its inputs' one."""
    before = mask_of(arguments[0]) if mask is None and arguments else mask
    if not layer.supports_masking or not arguments:
        return outputs
    after = layer.compute_mask(arguments[0], before)
    return outputs if all(one is None for one in flatten(after)) else with_masks(outputs, after)


def add_masks(names: list[str], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Fill in `mask`, or `value_mask` beside `value`, among the keywords of a call from what its tensors carry.

    names: those of the parameters of the call.
    """
    given = dict(zip(names, arguments, strict=False)) | keywords
    tensors = {name: x for name, x in given.items() if any(isinstance(one, Tensor) for one in flatten(x))}
    tensors = {name: x for name, x in tensors.items() if "mask" not in name}
    for name, x in tensors.items():
        wanted = "mask" if len(tensors) == 1 else f"{name}_mask"
        if wanted in names and given.get(wanted) is None and mask_of(x) is not None:
            keywords[wanted] = mask_of(x)
