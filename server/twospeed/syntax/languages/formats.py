"""Formats of data, markup and style: node types of elements, rules, members, entries, tables, statements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .profile import LanguageProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatProfile(LanguageProfile):
    """Node types of the elements of a format, for ``scopes.elements``. It has no functions or classes.

    Attributes:
        elements: Elements, each with the paths (see `walks.follow`) to its name. Without a path the name is the text
            above the body.
        parents: Elements that count only as children of these types: an object is one in an array, but in
            ``"key": {…}`` the member is.
        bodies: Node types that end the name of a node without a path.
    """

    functions: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    elements: Mapping[str, tuple[str, ...]]
    parents: Mapping[str, frozenset[str]] = field(default_factory=dict)
    bodies: frozenset[str] = frozenset()


_TAG = ("start_tag tag_name", "self_closing_tag tag_name")
_KEY = ("bare_key", "dotted_key", "quoted_key")
_CREATED = (
    *("create_table", "create_view", "create_materialized_view", "create_function", "create_procedure"),
    *("create_trigger", "create_type", "alter_table", "insert"),
)

_HTML = FormatProfile(
    language_id="html",
    module="tree_sitter_html",
    accessor="language",
    elements={"element": _TAG, "script_element": _TAG, "style_element": _TAG},
    accepts_prose=True,
)

_CSS = FormatProfile(
    language_id="css",
    module="tree_sitter_css",
    accessor="language",
    elements={
        "rule_set": (),
        "at_rule": (),
        "media_statement": (),
        "supports_statement": (),
        "scope_statement": (),
        "keyframes_statement": (),
        "keyframe_block": (),
    },
    bodies=frozenset({"block", "keyframe_block_list"}),
)

_JSON = FormatProfile(
    language_id="json",
    module="tree_sitter_json",
    accessor="language",
    elements={"pair": ("key",), "object": (), "array": ()},
    parents={"object": frozenset({"array"}), "array": frozenset({"array"})},
)

_JSON_WITH_COMMENTS = FormatProfile(
    language_id="jsonc",
    module=_JSON.module,
    accessor=_JSON.accessor,
    elements=_JSON.elements,
    parents=_JSON.parents,
)

_YAML = FormatProfile(
    language_id="yaml",
    module="tree_sitter_yaml",
    accessor="language",
    elements={
        "block_mapping_pair": ("key",),
        "block_sequence_item": (),
        "flow_pair": ("key",),
        "flow_node": (),
    },
    parents={"flow_node": frozenset({"flow_sequence"})},
    is_indented=True,
    accepts_prose=True,
)

_TOML = FormatProfile(
    language_id="toml",
    module="tree_sitter_toml",
    accessor="language",
    elements={"table": _KEY, "table_array_element": _KEY, "pair": _KEY},
)

_SQL = FormatProfile(
    language_id="sql",
    module="tree_sitter_sql",
    accessor="language",
    elements={
        "statement": tuple(f"{created} object_reference" for created in _CREATED),
        "cte": ("identifier",),
        "transaction": (),
    },
    leading=frozenset({"comment", "marginalia"}),  # a ``/* */`` comment is marginalia in this grammar
    is_partial=True,
)

FORMAT_PROFILES = (_HTML, _CSS, _JSON, _JSON_WITH_COMMENTS, _YAML, _TOML, _SQL)
