"""`Layer`: an object that makes its variables when it is first called, and finds those of the layers in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from pullback.nn import Module
from pullback.nn.module import _leaves
from pullback.tape import Tensor, Variable
from pullback.tape.nest import flatten, rebuilt
from pullback.tf import initializers
from pullback.tf.keras import constraints, regularizers
from pullback.tf.keras.backend import floatx, next_name, words_of
from pullback.tf.keras.masks import Noted, add_masks, handed_on
from pullback.tf.types import TensorShape
from pullback.tf.values import convert_to_tensor
from pullback.tf.variables import Variable as VariableOfTF

_training: list[bool | None] = [None]
"""What `training` was said to be, by the calls that are running."""


class Layer(Module):
    """What layers have in common. A subclass makes variables in `build(input_shape)`, and computes in `call(inputs)`.

    trainable: False for one whose variables are frozen. dtype: that of its variables, float32 by default; floating
    arguments are cast to it. name: any text, by default that of the class with a number. activity_regularizer: a
    function of the outputs that is added to `losses`. keywords: `input_shape` and `input_dim`, for the first one of a
    `Sequential`, and `autocast`, False where arguments keep their dtype.

    >>> import pullback.tf as tf
    >>> class Scaled(tf.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.scale = self.add_weight(shape=input_shape[-1:], initializer="ones", name="scale")
    ...     def call(self, inputs):
    ...         return inputs * self.scale
    >>> layer = Scaled()
    >>> layer([[1.0, 2.0]]), [v.shape for v in layer.trainable_variables]
    (<Tensor [[1. 2.]], float32>, [(2,)])
    """

    def __init__(
        self,
        *,
        trainable: bool = True,
        dtype: Any = None,
        name: str | None = None,
        activity_regularizer: Any = None,
        **keywords: Any,
    ) -> None:
        super().__init__(name or next_name(words_of(type(self).__name__)))
        self.dtype = np.dtype(floatx() if dtype is None else dtype)
        self.built = False
        self.autocast = keywords.pop("autocast", True)
        self.given_shape = _given_shape(keywords)
        if keywords:
            raise TypeError(f"{type(self).__name__} has no parameters {', '.join(keywords)}")
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.supports_masking = type(self).compute_mask is not Layer.compute_mask or type(self).keeps_mask
        self._trainable = bool(trainable)
        self._weights: list[Variable] = []
        self._regularized: list[tuple[Variable, Any]] = []
        self._added: list[Any] = []

    # Variables

    def add_weight(
        self,
        shape: Any = None,
        initializer: Any = None,
        dtype: Any = None,
        trainable: bool = True,
        autocast: bool = True,
        regularizer: Any = None,
        constraint: Any = None,
        aggregation: Any = None,
        name: str | None = None,
        **_: Any,
    ) -> VariableOfTF:
        """A new variable of this shape, with what the initialiser makes of it: by default zeros for vectors.

        Matrices and larger ones are drawn as `GlorotUniform` does. constraint: a function of the elements that
        optimizers call after each step. A text as the first argument is the name.
        """
        if isinstance(shape, str):
            name, shape = shape, initializer if not isinstance(initializer, str) else ()
            initializer = None
        extents = () if shape is None else tuple(shape) if isinstance(shape, list | tuple) else (shape,)
        start = initializers.get(initializer) or initializers.get("glorot_uniform" if len(extents) > 1 else "zeros")
        made = VariableOfTF(
            start(extents, dtype=self.dtype if dtype is None else np.dtype(dtype)),
            trainable and self._trainable,
            name or "variable",
        )
        made.constraint = constraints.get(constraint)
        self._weights.append(made)
        if regularizer is not None:
            self._regularized.append((made, regularizers.get(regularizer)))
        return made

    def _attributes(self) -> list[str]:
        return [name for name in vars(self) if name not in ("_weights", "_regularized", "_added", "_name")]

    def _parts(self) -> Iterator[Module]:
        """The modules among its attributes, in the order in which they were set."""
        seen = {id(self)}
        for name in self._attributes():
            for leaf in _leaves(vars(self)[name]):
                if isinstance(leaf, Module) and id(leaf) not in seen:
                    seen.add(id(leaf))
                    yield leaf

    def _own(self) -> list[Variable]:
        """Its own variables, those that are trained first."""
        held = [leaf for name in self._attributes() for leaf in _leaves(vars(self)[name])]
        found = {id(v): v for v in (*self._weights, *held) if isinstance(v, Variable)}
        return sorted(found.values(), key=lambda v: not (v.trainable or id(v) in self._frozen()))

    def _frozen(self) -> set[int]:
        return vars(self).get("_frozen_ids", set())

    @property
    def variables(self) -> list[Variable]:
        """Its own variables, then those of the layers in it, each once."""
        found = {id(v): v for v in self._own()}
        for part in self._parts():
            found |= {id(v): v for v in part.variables if id(v) not in found}
        return list(found.values())

    weights = variables

    @property
    def trainable_variables(self) -> list[Variable]:
        """Those of its variables that are trainable; none if the layer is frozen."""
        return [v for v in self.variables if v.trainable] if self._trainable else []

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Variable]:
        """Those of its variables that are not trainable; all if the layer is frozen."""
        trained = {id(v) for v in self.trainable_variables}
        return [v for v in self.variables if id(v) not in trained]

    non_trainable_weights = non_trainable_variables

    @property
    def trainable(self) -> bool:
        """Whether its variables are trained. Setting it freezes them, and those of the layers in it, or thaws them."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        frozen = vars(self).setdefault("_frozen_ids", set())
        self._trainable = bool(value)
        for variable in self._own():
            if not value and variable.trainable:
                frozen.add(id(variable))
                variable._watch = False
            elif value and id(variable) in frozen:
                frozen.discard(id(variable))
                variable._watch = True
        for part in self._parts():
            if isinstance(part, Layer):
                part.trainable = value

    @property
    def layers(self) -> list[Layer]:
        """The layers in it."""
        return [part for part in self._parts() if isinstance(part, Layer)]

    def get_weights(self) -> list[np.ndarray]:
        """Copies of the elements of its variables."""
        return [v.numpy() for v in self.variables]

    def set_weights(self, weights: Any) -> None:
        """Assign arrays to its variables. ValueError where they are not as many."""
        for variable, value in zip(self.variables, weights, strict=True):
            variable.assign(value)

    def count_params(self) -> int:
        """The number of elements of its variables."""
        return sum(v.size for v in self.variables)

    # Losses

    def add_loss(self, loss: Any) -> None:
        """Add a tensor to `losses`, until the layer is called again from outside."""
        self._added.extend(loss if isinstance(loss, list | tuple) else [loss])

    @property
    def losses(self) -> list[Any]:
        """What regularisers say of the variables, and what `add_loss` was given, here and in the layers in it."""
        own = [regularize(v) for v, regularize in self._regularized if v.trainable]
        return [*own, *self._added, *(loss for part in self.layers for loss in part.losses)]

    def _forget_losses(self) -> None:
        self._added.clear()
        for part in self.layers:
            part._forget_losses()

    # Calls

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of this shape."""

    def call(self, *inputs: Any, **keywords: Any) -> Any:
        """What the layer computes."""
        raise NotImplementedError(f"{type(self).__name__} has no `call`")

    def __call__(self, *inputs: Any, **keywords: Any) -> Any:
        """The outputs for tensors, or for structures of them; `training` is what the call around it says by default."""
        accepted = _parameters(type(self).call)
        for name in accepted[len(inputs) :]:  # tensors given by name
            if name is None or "mask" in name or not _is_tensor(keywords.get(name)):
                break
            inputs = (*inputs, keywords.pop(name))
        if any(hasattr(one, "__pullback_symbol__") for one in flatten(inputs)):
            symbol = next(one for one in flatten(inputs) if hasattr(one, "__pullback_symbol__"))
            return symbol.__pullback_symbol__(self, inputs, keywords)
        inputs = tuple(self._prepared(one) for one in inputs)
        if any(type(one) is Noted for one in flatten([*inputs, *keywords.values()])):
            add_masks([name for name in accepted if name is not None], inputs, keywords)
        training = keywords.get("training")
        if training is None:
            training = _training[-1]
            if "training" in accepted and training is not None:
                keywords["training"] = training
        if "training" not in accepted and None not in accepted:
            keywords.pop("training", None)
        outermost = len(_training) == 1
        if outermost:
            self._forget_losses()
        if not self.built:
            self.build_for(*inputs)
        _training.append(training)
        try:
            outputs = self.call(*inputs, **keywords)
        finally:
            _training.pop()
        outputs = handed_on(self, inputs, keywords.get("mask"), outputs)
        if self.activity_regularizer is not None:
            rows = outputs.shape[0] if isinstance(outputs, Tensor) else 1
            self.add_loss(self.activity_regularizer(outputs) / rows)
        return outputs

    keeps_mask = False
    """Whether the mask of the inputs is that of the outputs, as `supports_masking` says for one object."""

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the outputs, for inputs and theirs: the same one, where `supports_masking` is set."""
        return mask

    def build_for(self, *inputs: Any) -> None:
        """Build the layer for these inputs."""
        first = inputs[0] if inputs else ()
        shapes = [TensorShape(x.shape) for x in flatten(first) if isinstance(x, Tensor)]
        alone = isinstance(first, Tensor)
        self.build(shapes[0] if alone and shapes else rebuilt(first, shapes) if _all_tensors(first) else shapes)
        self.built = True

    def _prepared(self, structure: Any) -> Any:
        """Tensors in the place of arrays, floating ones in the dtype of the layer; other things as they are."""
        if isinstance(structure, np.ndarray | float | list | Tensor):
            if isinstance(structure, list) and any(isinstance(x, Tensor | np.ndarray) for x in flatten(structure)):
                return [self._prepared(one) for one in structure]
            x = convert_to_tensor(structure)
            if not self.autocast or x.dtype.kind != "f" or x.dtype == self.dtype:
                return x
            return Noted(x.astype(self.dtype), x._mask) if isinstance(x, Noted) else x.astype(self.dtype)
        if isinstance(structure, tuple | dict):
            return rebuilt(structure, [self._prepared(one) for one in flatten(structure)])
        return structure


def _is_tensor(given: Any) -> bool:
    return isinstance(given, Tensor | np.ndarray) or hasattr(given, "__pullback_symbol__")


def _all_tensors(structure: Any) -> bool:
    return all(isinstance(one, Tensor) for one in flatten(structure))


@cache
def _parameters(method: Callable[..., Any]) -> list[str | None]:
    """The names of the parameters of a method behind the first; None for any."""
    found = [*inspect.signature(method).parameters.values()][1:]
    return [None if p.kind is p.VAR_KEYWORD else p.name for p in found]


def _given_shape(keywords: dict[str, Any]) -> tuple[Any, ...] | None:
    """The shape of a row that `input_shape`, `input_dim` or `batch_input_shape` says."""
    shape, length, whole = (keywords.pop(name, None) for name in ("input_shape", "input_dim", "batch_input_shape"))
    if shape is not None:
        return tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    return (length,) if length is not None else None if whole is None else tuple(whole[1:])
