"""`tf.config`: here there is one device, and functions run as Python does."""

from __future__ import annotations

from typing import Any, NamedTuple

from pullback.tf.config import experimental


class PhysicalDevice(NamedTuple):
    """A device: its `name` and its `device_type`.

    >>> import pullback.tf as tf
    >>> tf.config.list_physical_devices("CPU")[0].device_type
    'CPU'
    """

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The processor, unless another `device_type` is asked for.

    >>> import pullback.tf as tf
    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [PhysicalDevice("/physical_device:CPU:0", "CPU")] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The processor, unless another `device_type` is asked for.

    >>> import pullback.tf as tf
    >>> len(tf.config.list_logical_devices())
    1
    """
    return list_physical_devices(device_type)


def run_functions_eagerly(run_eagerly: bool) -> None:
    """No effect, whatever `run_eagerly` is: functions run as Python does.

    >>> import pullback.tf as tf
    >>> tf.config.run_functions_eagerly(True)
    """


def functions_run_eagerly() -> bool:
    """True.

    >>> import pullback.tf as tf
    >>> tf.config.functions_run_eagerly()
    True
    """
    return True


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """No effect, for any `devices` and `device_type`.

    >>> import pullback.tf as tf
    >>> tf.config.set_visible_devices([], "GPU")
    """


__all__ = [
    "PhysicalDevice",
    "experimental",
    "functions_run_eagerly",
    "list_logical_devices",
    "list_physical_devices",
    "run_functions_eagerly",
    "set_visible_devices",
]
