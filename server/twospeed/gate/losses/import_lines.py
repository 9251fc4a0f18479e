"""Parse import lines: the names that they define, and which of them are new."""

from __future__ import annotations

import re
from collections.abc import Sequence

from twospeed.text.code import javascript

_WORD = re.compile(r"\w+")
_USED = re.compile(r"(?<![\w.])\w+")
_IMPORTS = ("import ", "use ", "pub use ", "from ", "#include", "# include", "using ")
_COMMENTS = ("//", "#", "/*", "*", "--")
_LAST_NAMES = frozenset({"java", "kotlin", "scala"})
_INCLUDE = re.compile(r"#\s*include\s*<(\w+)>")
_GO = re.compile(r'(?:import )?(?:(\w+) )?"(?:[^"]*/)?(?!v\d+")(\w+)(?:/v\d+|\.v\d+)?"$')
_HASKELL = re.compile(r"import\s[^(]*?(?:\bas (\w+)|\(([\w, ]*)\))\s*$")
_REQUIRED = re.compile(r"(?:const|let|var|local)\s(.*)=\s*require\b")


def imported_names(line: str, language_id: str) -> tuple[str, ...]:
    """Return the names that a stripped import line defines, except wildcards."""
    text = ""
    if language_id == "cpp" and (found := _INCLUDE.match(line)):
        return (found[1],)
    if language_id == "go" and (found := _GO.match(line)):
        return (found[1] or found[2],)
    if language_id == "haskell" and (found := _HASKELL.match(line)):
        text = found[1] or found[2] or ""
    elif language_id in _LAST_NAMES and line.startswith("import "):
        text = _last_part(line.removesuffix(";"), ".")
    elif language_id == "php" and line.startswith("use "):
        text = _last_part(line.removesuffix(";"), "\\")
    elif language_id == "rust" and line.startswith(("use ", "pub use ")):
        text = _last_part(line.removesuffix(";"), "::")
    elif language_id in javascript.LANGUAGE_IDS and line.startswith("import ") and " from " in line:
        text = line.removeprefix("import ").removeprefix("type ").partition(" from ")[0]
    elif found := _REQUIRED.match(line):
        text = found[1]
    return tuple(_WORD.findall(part)[-1] for part in re.split(r"[,{}]", text) if _WORD.search(part))


def newly_imported(old_lines: Sequence[str], new_lines: Sequence[str]) -> set[str]:
    """Return the words of imports that only the new lines have, up to their closing bracket.

    Leading and trailing underscores are removed: an imported name often has none.
    """
    known, words, closing = {line.strip() for line in old_lines}, set[str](), ""
    for line in map(str.strip, new_lines):
        is_import = line.startswith(_IMPORTS) or _REQUIRED.match(line) is not None
        if (is_import and line not in known) or closing:
            words.update(word.strip("_") for word in _WORD.findall(line))
        if is_import and line not in known:
            closing = next((end for start, end in ("()", "{}") if start in line and end not in line), "")
        elif closing and closing in line:
            closing = ""
    return words


def is_used(name: str, lines: Sequence[str]) -> bool:
    """Return whether lines use a name outside comments that none of them imports, also by a wildcard."""
    is_found = False
    for line in map(str.lstrip, lines):
        if line.startswith(_IMPORTS) or "require" in line:
            takes_all = ("*" in line and "super" not in line) or "._" in line
            if takes_all or name in _WORD.findall(line):
                return False
        elif name in line and not line.startswith(_COMMENTS) and name in _USED.findall(line):
            is_found = True
    return is_found


def _last_part(text: str, sign: str) -> str:
    head, brace, inner = text.partition("{")
    return inner if brace else head.rpartition(sign)[2]
