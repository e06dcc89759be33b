"""The passes that a Function goes through around its differentiation, in their order."""

from __future__ import annotations

from collections.abc import Set

from pullback.ir.nodes import Function
from pullback.optimize.clears import leave_uncleared
from pullback.optimize.dead import remove_dead
from pullback.optimize.fresh import fill_once
from pullback.optimize.hoist import hoist
from pullback.optimize.induction import merge_counters
from pullback.optimize.inplace import write_in_place
from pullback.optimize.lift import lift_buffers
from pullback.optimize.lower import lower
from pullback.optimize.order import run_forwards
from pullback.optimize.products import write_products
from pullback.optimize.simplify import simplify


def tidied(function: Function, analyses: Set[str]) -> Function:
    return remove_dead(simplify(hoisted(simplify(function), analyses)))


def hoisted(function: Function, analyses: Set[str]) -> Function:
    return hoist(function) if "hoist" in analyses else function


def finished(function: Function, analyses: Set[str], lowered: bool = False) -> Function:
    """The derivative without what nobody reads; a second round removes what the first one laid bare."""
    function = remove_dead(function)
    if not analyses:
        return function
    function = remove_dead(simplify(function))
    if "counters" in analyses:
        function = remove_dead(merge_counters(function))
    if "clears" in analyses:
        function = remove_dead(simplify(leave_uncleared(function)))
    if "order" in analyses:
        function = run_forwards(function)
    if lowered and "lower" in analyses:
        function = remove_dead(simplify(lower(function)))
    if "fresh" in analyses:
        function = fill_once(function)
    if "lift" not in analyses:
        return function
    return lift_buffers(buffered(function, analyses) if lowered else function)


def buffered(function: Function, analyses: Set[str]) -> Function:
    """The function with the products and arrays of its rounds in memory that other rounds have used."""
    return write_in_place(hoisted(simplify(write_products(function)), analyses))
