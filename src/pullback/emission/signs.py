"""Signs: `a + -b` is written `a - b`, which is the same number."""

from __future__ import annotations

from typing import Any

import gast


def tidy_signs(tree: Any) -> Any:
    """The same tree with minus signs taken into sums."""
    return _Signs().visit(tree)


class _Signs(gast.NodeTransformer):
    def visit_BinOp(self, node: Any) -> Any:
        self.generic_visit(node)
        if not isinstance(node.op, gast.Add | gast.Sub):
            return node
        right = _without_minus(node.right)
        if right is not None:
            return gast.BinOp(node.left, _opposite(node.op), right)
        left = _without_minus(node.left)
        if isinstance(node.op, gast.Add) and left is not None:
            return gast.BinOp(node.right, gast.Sub(), left)
        return node

    def visit_AugAssign(self, node: Any) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, gast.Add | gast.Sub):
            value = _without_minus(node.value)
            if value is not None:
                return gast.AugAssign(node.target, _opposite(node.op), value)
        return node


def _opposite(operator: Any) -> Any:
    return gast.Sub() if isinstance(operator, gast.Add) else gast.Add()


def _without_minus(node: Any) -> Any:
    """The expression whose negative this one is, where a factor has a minus."""
    match node:
        case gast.UnaryOp(op=gast.USub()):
            return node.operand
        case gast.BinOp(op=gast.Mult() | gast.Div() | gast.MatMult()):
            left = _without_minus(node.left)
            if left is not None:
                return gast.BinOp(left, node.op, node.right)
            right = None if isinstance(node.op, gast.MatMult) else _without_minus(node.right)
            return None if right is None else gast.BinOp(node.left, node.op, right)
        case gast.Constant(value=int() | float() as number) if number < 0:
            return gast.Constant(-number, None)
    return None
