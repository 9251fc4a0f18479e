"""Find imports whose names nothing else in a file mentions, and the edits that remove them.

A name that occurs anywhere else counts as used, also as an attribute, in a string or in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from twospeed.syntax.faults.syntax_errors import count_errors
from twospeed.syntax.identifiers.words import WordSearch
from twospeed.syntax.trees.trees import SourceTree, parse
from twospeed.syntax.unresolved.library_modules import LIBRARY_IMPORTS
from twospeed.text.code import javascript
from twospeed.text.edits import LineEdit
from twospeed.text.lines import bodies_of, eol_of

from .add_imports import DIALECTS
from .blocks import BlockItem, find_block
from .statements import ImportDialect, ImportedName, ImportStatement

_WORD = re.compile(r"(?:[^\W\d]|\$)[\w$]*")
_DIRECTIVE = re.compile(
    r"noqa|eslint|@ts-|biome|deno-|flake8|isort|mypy|nolint|prettier|pylint|pyright|ruff|type:|noinspection",
    re.IGNORECASE,
)
"""A comment that another tool reads; one directly above an import may be about it."""

_FOR_WHOLE_FILE = re.compile(r"\s*#\s*(?:ruff|flake8)\s*:\s*noqa")
_OF_JSX = frozenset({"Fragment", "React", "createElement", "h", "jsx"})
"""Names that a compiler of JSX uses although the file does not mention them."""

_RUST_TRAITS = frozenset({"FromStr"})
"""The traits in `LIBRARY_IMPORTS`: their methods are called without the name of the trait."""


@dataclass(frozen=True, slots=True)
class UnusedImport:
    """Names of one import that nothing uses, and the edit that removes them. It inserts no line."""

    names: tuple[str, ...]
    edit: LineEdit


def removed_names(
    lines: Sequence[str], language_id: str, start: int, end: int, new: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the imported names that the code of some lines mentions, and the lines ``new`` in their place do not.

    Cost: a search for each removed word, and a parse if one occurs elsewhere and the tree is not cached.
    """
    words = set(_WORD.findall("".join(lines[start:end]))) - set(_WORD.findall("".join(new)))
    around = "".join(lines[:start]), "".join(lines[end:])
    words = {word for word in words if any(word in text for text in around)}
    source = _source(lines, language_id) if words else None
    block = find_block(source, DIALECTS[language_id]) if source else None
    if source is None or block is None:
        return ()
    words.intersection_update(name.bound for statement in block.imports for name in statement.names)
    found = {
        match[0]
        for row in range(start, min(end, len(lines)) if words else start)
        for match in _WORD.finditer(lines[row])
        if match[0] in words and _is_code(source, row, match.start())
    }
    return tuple(sorted(found))


def unused_imports(
    lines: Sequence[str], language_id: str, names: Collection[str]
) -> tuple[UnusedImport, ...]:
    """Return the imports of names that nothing else in a file mentions, as sorted and disjoint edits.

    Empty if it is not certain that an import has no effect: imports under a condition, of a whole module by ``*``, exported
    again, or with a comment; Rust's traits, and packages of Go whose name is not that of their path.
    """
    source = _source(lines, language_id) if names else None
    dialect = DIALECTS[language_id] if source else None
    block = find_block(source, dialect) if source and dialect else None
    if source is None or dialect is None or block is None or count_errors(lines, language_id):
        return ()
    search = WordSearch(0, bodies_of(lines))
    bound = [name.bound for statement in block.imports for name in statement.names]
    if any(_FOR_WHOLE_FILE.match(lines[row]) for row, _ in search.places("noqa")):
        return ()
    found: list[UnusedImport] = []
    row = block.start
    for item in block.items:
        rows = range(row, row + len(item.lines))
        row = rows.stop
        if item.statement is None or not _is_plain(
            item, dialect, lines[rows.start - 1] if rows.start else ""
        ):
            continue
        unused = [
            name
            for name in item.statement.names
            if name.bound in names
            and bound.count(name.bound) == 1
            and _has_no_other_effect(name, item.statement, source)
            and all(place in rows for place, _ in search.places(name.bound))
        ]
        if unused:
            found += _removals(item, item.statement, unused, rows.start)
    return tuple(found)


def _source(lines: Sequence[str], language_id: str) -> SourceTree | None:
    is_known = language_id in DIALECTS and language_id not in ("c", "cpp")
    if not is_known or (lines and lines[0].startswith("\ufeff")):
        return None
    return parse(language_id, lines)


def _is_code(source: SourceTree, row: int, column: int) -> bool:
    point = source.point(row, column)
    leaf = source.root.descendant_for_point_range(point, point)
    return leaf is not None and leaf.type.endswith("identifier")


def _is_plain(item: BlockItem, dialect: ImportDialect, above: str) -> bool:
    """Return whether the lines are one import without a comment, and no tool reads the line above as about it."""
    text = item.text
    is_one = text.count(";") <= text.rstrip().endswith(";") and "\\" not in text
    is_alone = text.lstrip().startswith(("import", "from", "use ", '"', "`")) or _is_go_alias(item)
    return is_one and is_alone and dialect.masked(text) == text and not _DIRECTIVE.search(above)


def _is_go_alias(item: BlockItem) -> bool:
    return len(item.lines) == 1 and item.lines[0].startswith("\t")


def _has_no_other_effect(name: ImportedName, statement: ImportStatement, source: SourceTree) -> bool:
    language_id = source.profile.language_id
    if not _WORD.fullmatch(name.bound) or name.bound == "_":
        return False
    if language_id == "python":  # ``name as name`` exports it again
        return statement.module != "__future__" and name.text != f"{name.bound} as {name.bound}"
    if language_id == "go":  # elsewhere the package may have another name than its path
        return bool(name.text) or "." not in statement.module.partition("/")[0]
    if language_id == "rust":  # a trait is used by calls of its methods
        is_type = name.bound in LIBRARY_IMPORTS["rust"] and name.bound not in _RUST_TRAITS
        return name.bound[0].islower() or (is_type and name.text == name.bound)
    return language_id not in javascript.LANGUAGE_IDS or name.bound not in _OF_JSX


def _removals(
    item: BlockItem, statement: ImportStatement, unused: Sequence[ImportedName], row: int
) -> Iterator[UnusedImport]:
    """Yield the edits that remove names from a statement; none if its form is not certain."""
    bound = tuple(name.bound for name in unused)
    if len(unused) == len(statement.names):
        yield UnusedImport(bound, LineEdit(row, len(item.lines), ()))
        return
    if statement.list_at is None:
        return
    start, end = statement.list_at
    inside, gone = item.text[start:end], {name.text for name in unused}
    parts = inside.split(",")
    kept = [part for part in parts if " ".join(part.split()) not in gone]
    if len(parts) - len(kept) != len(unused) or not any(map(str.strip, kept)):
        return
    if len(item.lines) == 1:
        kept[0] = inside[: len(inside) - len(inside.lstrip())] + kept[0].lstrip()
        kept[-1] = kept[-1].rstrip() + inside[len(inside.rstrip()) :]
        text = item.text[:start] + ",".join(kept) + item.text[end:]
        yield UnusedImport(bound, LineEdit(row, 1, (text + eol_of(item.lines[0]),)))
        return
    for name in unused:
        at = [n for n, line in enumerate(item.lines) if line.strip() in (name.text, f"{name.text},")]
        if len(at) == 1:
            yield UnusedImport((name.bound,), LineEdit(row + at[0], 1, ()))
