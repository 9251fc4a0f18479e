"""Names of functions and classes as written: ``total``, ``A::operator bool``, ``module.exports.run``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from twospeed.syntax.languages.node_paths import follow
from twospeed.syntax.trees.trees import SourceTree

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

_MAX_NAME_BYTES = 500
"""A longer text is no name: in ``{[function () { … }]: f}`` it may be a whole document."""


def name_of(source: SourceTree, node: Node, wrappers: Sequence[Node]) -> str | None:
    """Return the name of a definition, or else of the innermost declaration with a name.

    Args:
        source: The document.
        node: A function or class.
        wrappers: The declarations around it, outermost first.

    Returns:
        The name on one line, or ``None``.
    """
    for giver in (node, *reversed(wrappers)):
        binder = source.profile.binders.get(giver.type)
        if binder and (name := follow(giver, binder)):
            return _shown(source, unwrapped(source, name))
        if giver is node and (name := node.child_by_field_name("name")):
            return _shown(source, name)
        if giver.type == "export_statement":
            return "default"  # ECMA-262, "Exports": the name of an anonymous default export
    return None


def unwrapped(source: SourceTree, node: Node | None) -> Node | None:
    """Return the name inside nested declarators."""
    while node and node.type in source.profile.around_names:
        inner = node.child_by_field_name("declarator")
        node = inner or (node.named_child(node.named_child_count - 1) if node.named_child_count else None)
    return node


def _shown(source: SourceTree, node: Node | None) -> str | None:
    if node is None or node.end_byte - node.start_byte > _MAX_NAME_BYTES:
        return None
    text = source.text_of(node)
    if rest := _rest_of(source, node):
        text = text.encode()[: rest.start_byte - node.start_byte].decode("utf-8", "ignore")
    return " ".join(text.split()) or None


def _rest_of(source: SourceTree, node: Node) -> Node | None:
    """Return the part of a name node after the name, such as the parameters of ``operator bool()``."""
    cuts = source.profile.cut_names
    while cuts and node.type not in cuts and (inner := node.child_by_field_name("name")):
        node = inner
    return unwrapped(source, node.child_by_field_name(cuts[node.type])) if node.type in cuts else None
