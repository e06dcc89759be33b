"""Progress bars of `tqdm`: a loop over one goes over what is in it, and nothing is shown."""

from __future__ import annotations

from typing import Any

OVER = "iterable"
"""The attribute of a bar that a loop over it goes over."""


class ProgressBar:
    """What `tqdm` makes, as far as programs use it."""

    def __init__(self, iterable=None, *settings, **named):
        self.iterable = iterable
        self.n = 0

    def __enter__(self):
        return self

    def update(self, n=1):
        self.n += n

    def reset(self, total=None):
        self.n = 0

    def set_description(self, *texts, **named):
        return None

    def set_description_str(self, *texts, **named):
        return None

    def set_postfix(self, *values, **named):
        return None

    def set_postfix_str(self, *texts, **named):
        return None

    def refresh(self, *settings, **named):
        return None

    def clear(self, *settings, **named):
        return None

    def close(self):
        return None


def bar_of_range(*bounds, **named):
    """`tqdm.trange`."""
    return ProgressBar(range(*bounds), **named)


def written(text="", *settings, **named):
    """`tqdm.write`, which prints a line."""
    print(text)


def stand_in_for(function: Any) -> Any:
    """What stands for a function or class of `tqdm`; None for another one."""
    home = (getattr(function, "__module__", None) or "").partition(".")[0]
    name = getattr(function, "__name__", "")
    if home != "tqdm":
        return None
    if isinstance(function, type) and hasattr(function, "set_postfix"):
        return ProgressBar
    return {"trange": bar_of_range, "tnrange": bar_of_range, "tqdm_notebook": ProgressBar, "write": written}.get(name)
