"""The forms in which models answer: the requested form, and others that models use.

A function writes each form from the same facts. It returns ``None`` if the form does not apply to a case.
"""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .languages import FENCE_NAMES

_CONTEXT = 3
"""Unchanged lines around a change in a patch (``diff -u``)."""

_MIN_GONE = 2
"""Fewest lines with words that are omitted or repeated."""

_MIN_ELIDED = 4
"""Fewest unchanged lines that are omitted."""


@dataclass(frozen=True)
class Answered:
    """The facts from which an answer is written, with LF line ends.

    Attributes:
        file_name: The name of the document.
        language_id: The LSP language id.
        fence: The requested fence.
        above: The lines above the scope.
        old: The lines of the scope.
        new: The expected lines of the scope.
        below: The lines below the scope.
        part: The lines of the only definition that changes, if the scope has more lines.
        comment: The token that opens a line comment; empty if the language has none.
        number: The number of the case; it selects among variants of a form.
    """

    file_name: str
    language_id: str
    fence: str
    above: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    below: tuple[str, ...]
    part: tuple[str, ...]
    comment: str
    number: int

    def block(self, lines: Sequence[str], info: str | None = None) -> str:
        """Write lines in a code block; the info string is the language of the document by default."""
        name = FENCE_NAMES.get(self.language_id, self.language_id) if info is None else info
        return f"{self.fence}{name}\n{_text(lines)}{self.fence}"


Writer = Callable[[Answered], str | None]


@dataclass(frozen=True)
class Form:
    """A form of answers.

    Attributes:
        name: Its name, one word.
        write: Writes the answer to a case.
        scope: Whether the scope is that of the case or the whole file.
        wants: ``exact`` if the answer is complete, ``either`` if a refusal is also correct, and ``refused`` if the answer
            is incomplete, so that only a refusal or the whole expected text is correct.
    """

    name: str
    write: Writer
    wants: Literal["exact", "either", "refused"]
    scope: Literal["own", "file"] = "own"


def _text(lines: Sequence[str]) -> str:
    """Join lines, and end the last one with LF."""
    text = "".join(lines)
    return f"{text}\n" if text and not text.endswith("\n") else text


def _asked(facts: Answered) -> str:
    return facts.block(facts.new) + "\n"


def _plain(facts: Answered) -> str:
    return _text(facts.new)


def _plain_open(facts: Answered) -> str:
    return _text(facts.new).removesuffix("\n")


def _no_language(facts: Answered) -> str:
    return facts.block(facts.new, "") + "\n"


def _talk_around(facts: Answered) -> str:
    return (
        "Sure! Here is the updated code:\n\n"
        f"{facts.block(facts.new)}\n\n"
        "This keeps the behaviour of everything else. Let me know if you want anything changed!\n"
    )


def _talk_behind(facts: Answered) -> str:
    return (
        f"{facts.block(facts.new)}\n\n"
        "**Explanation**\n\n"
        "- The change does what you asked for.\n"
        "- Nothing else was touched.\n"
    )


def _talk_plain(facts: Answered) -> str:
    return f"Here is the updated code:\n\n{_text(facts.new)}"


def _dedented_lines(facts: Answered) -> str | None:
    text = _text(facts.new)
    flat = textwrap.dedent(text)
    return None if flat == text else flat


def _dedented(facts: Answered) -> str | None:
    flat = _dedented_lines(facts)
    return None if flat is None else facts.block(flat.splitlines(keepends=True)) + "\n"


def _dedented_plain(facts: Answered) -> str | None:
    return _dedented_lines(facts)


def _first_dedented(facts: Answered) -> str | None:
    """Write a block without the indentation of its first line, as models do that continue a line."""
    text = _text(facts.new)
    flat = text.lstrip(" \t")
    return None if flat == text or text.count("\n") < 2 else facts.block([flat]) + "\n"


def _tags(facts: Answered) -> str:
    tag = ("code", "answer", "source")[facts.number % 3]
    return f"<{tag}>\n{_text(facts.new)}</{tag}>\n"


def _glued_fence(facts: Answered) -> str | None:
    text = facts.block(facts.new)
    body = text.removesuffix(facts.fence).removesuffix("\n")
    ends_in_fence = not facts.new or facts.new[-1].strip().startswith("```")
    return None if ends_in_fence else f"{body}{facts.fence}\n"


def _token(facts: Answered) -> str:
    return facts.block(facts.new) + ("</s>", "\n<|im_end|>", "<end_of_turn>\n")[facts.number % 3]


def _token_plain(facts: Answered) -> str:
    return _text(facts.new) + ("</s>", "<|im_end|>", "<end_of_turn>")[facts.number % 3]


def _thinking(facts: Answered) -> str:
    opening, closing = (("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"))[
        facts.number % 3
    ]
    thought = "The user wants a small change. I keep all other lines as they are."
    return f"{opening}\n{thought}\n{closing}\n\n{facts.block(facts.new)}\n"


def _unclosed(facts: Answered) -> str:
    return facts.block(facts.new).removesuffix(facts.fence)


def _whole_file(facts: Answered) -> str | None:
    if not facts.above and not facts.below:
        return None
    return facts.block((*facts.above, *facts.new, *facts.below)) + "\n"


def _hunks(facts: Answered, n_context: int) -> list[list[tuple[str, int, int, int, int]]]:
    old, new = (*facts.above, *facts.old, *facts.below), (*facts.above, *facts.new, *facts.below)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return [list(group) for group in matcher.get_grouped_opcodes(n_context)]


def _search_replace(facts: Answered) -> str | None:
    old, new = (*facts.above, *facts.old, *facts.below), (*facts.above, *facts.new, *facts.below)
    blocks = []
    for group in _hunks(facts, _CONTEXT):
        before, after = old[group[0][1] : group[-1][2]], new[group[0][3] : group[-1][4]]
        blocks.append(f"<<<<<<< SEARCH\n{_text(before)}=======\n{_text(after)}>>>>>>> REPLACE\n")
    return f"{facts.file_name}\n" + "\n".join(blocks) if any(facts.old) else None


def _unified_diff(facts: Answered) -> str | None:
    old, new = (*facts.above, *facts.old, *facts.below), (*facts.above, *facts.new, *facts.below)
    lines = difflib.unified_diff(old, new, f"a/{facts.file_name}", f"b/{facts.file_name}", n=_CONTEXT)
    return facts.block([line if line.endswith("\n") else f"{line}\n" for line in lines], "diff") + "\n"


def _twice(facts: Answered) -> str | None:
    if not facts.old:
        return None
    return f"Before:\n\n{facts.block(facts.old)}\n\nAfter:\n\n{facts.block(facts.new)}\n"


def _repeated(facts: Answered) -> str | None:
    block = facts.block(facts.new)
    return f"{block}\n\nHere is the complete code again:\n\n{block}\n"


def _part(facts: Answered) -> str | None:
    return facts.block(facts.part) + "\n" if facts.part else None


def _changed_lines(facts: Answered) -> str | None:
    """Write only the new lines, if they are less than half of the scope."""
    matcher = difflib.SequenceMatcher(None, facts.old, facts.new, autojunk=False)
    came = [
        line for tag, _, _, j1, j2 in matcher.get_opcodes() if tag != "equal" for line in facts.new[j1:j2]
    ]
    is_part = any(line.strip() for line in came) and 2 * len(came) < len(facts.new)
    return facts.block(came) + "\n" if facts.old and is_part else None


def _elided(facts: Answered) -> str | None:
    """Write a comment instead of the longest run of unchanged lines."""
    matcher = difflib.SequenceMatcher(None, facts.old, facts.new, autojunk=False)
    longest = max(matcher.get_matching_blocks(), key=lambda match: match.size)
    start, end = longest.b, longest.b + longest.size
    if start == 0:
        start += 1
    if end == len(facts.new):
        end -= 1
    run = facts.new[start:end]
    if not facts.comment or sum(bool(line.strip()) for line in run) < _MIN_ELIDED:
        return None
    first = next(line for line in run if line.strip())
    indent = first[: len(first) - len(first.lstrip())]
    marker = f"{indent}{facts.comment} ... existing code ...\n"
    return facts.block((*facts.new[:start], marker, *facts.new[end:])) + "\n"


def _lines_gone(facts: Answered) -> str | None:
    """Omit unchanged lines in the middle without a comment."""
    matcher = difflib.SequenceMatcher(None, facts.old, facts.new, autojunk=False)
    longest = max(matcher.get_matching_blocks(), key=lambda match: match.size)
    start, end = max(longest.b, 1), min(longest.b + longest.size, len(facts.new) - 1)
    middle = (start + end) // 2
    run = facts.new[max(start, middle - 2) : min(end, middle + 2)]
    if sum(any(map(str.isalnum, line)) for line in run) < _MIN_GONE:
        return None
    kept = (*facts.new[: max(start, middle - 2)], *facts.new[min(end, middle + 2) :])
    return facts.block(kept) + "\n"


def _both_versions(facts: Answered) -> str | None:
    """Write the old and the new lines in one block."""
    n_telling = sum(any(map(str.isalnum, line)) for line in facts.old)
    if n_telling < _MIN_GONE:
        return None
    return facts.block([*_text(facts.old).splitlines(keepends=True), "\n", *facts.new]) + "\n"


def _quoted(facts: Answered) -> str | None:
    """Write the code as a string literal."""
    if not facts.old or not facts.new:
        return None
    mark = ('"', "'", '"""')[facts.number % 3]
    return facts.block([f"{mark}{_text(facts.new).removesuffix(chr(10))}{mark}\n"]) + "\n"


def _cut_off(facts: Answered) -> str | None:
    """Write the first two thirds of a block."""
    n_lines = len(facts.new) * 2 // 3
    if len(facts.new) < _MIN_ELIDED:
        return None
    return facts.block(facts.new[:n_lines]).removesuffix(facts.fence)


FORMS = (
    Form("asked", _asked, "exact"),
    Form("plain", _plain, "exact"),
    Form("plain-open", _plain_open, "exact"),
    Form("no-language", _no_language, "exact"),
    Form("talk-around", _talk_around, "exact"),
    Form("talk-behind", _talk_behind, "exact"),
    Form("thinking", _thinking, "exact"),
    Form("token", _token, "exact"),
    Form("token-plain", _token_plain, "exact"),
    Form("tags", _tags, "exact"),
    Form("glued-fence", _glued_fence, "exact"),
    Form("dedented", _dedented, "either"),
    Form("dedented-plain", _dedented_plain, "either"),
    Form("first-dedented", _first_dedented, "either"),
    Form("talk-plain", _talk_plain, "either"),
    Form("unclosed", _unclosed, "either"),
    Form("whole-file", _whole_file, "exact"),
    Form("search-replace", _search_replace, "exact"),
    Form("diff", _unified_diff, "exact"),
    Form("repeated", _repeated, "either"),
    Form("old-and-new", _twice, "either"),
    Form("part", _part, "refused"),
    Form("part-of-file", _part, "refused", "file"),
    Form("changed-lines", _changed_lines, "refused"),
    Form("elided", _elided, "refused"),
    Form("cut-off", _cut_off, "refused"),
    Form("lines-gone", _lines_gone, "refused"),
    Form("both-versions", _both_versions, "refused"),
    Form("quoted", _quoted, "refused"),
)

ASKED = FORMS[0]
