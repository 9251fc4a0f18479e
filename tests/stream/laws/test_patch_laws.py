"""Patches are applied exactly or refused, for any document and change."""

from __future__ import annotations

import difflib

from hypothesis import assume, given
from hypothesis import strategies as st

from twospeed.stream.answers.evidence import Refusal, Surroundings
from twospeed.stream.answers.patch.patches import patched
from twospeed.stream.answers.whole_file import between

LINE = st.sampled_from(
    [
        "",
        "a()",
        "    a()",
        "        a()",
        "b = 1",
        "    b = 1",
        "-- c",
        "++ c",
        "--- d",
        "=======",
        "```",
        "@@ e",
    ]
    + [f"line_{n}()" for n in range(8)]
)
TEXT = st.lists(LINE, max_size=16)


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[str], list[str], list[str]]:
    """Draw the lines above a scope, in it and below it, and the whole document after some changes."""
    above, old, below = draw(TEXT), draw(TEXT), draw(TEXT)
    after = [*above, *old, *below]
    in_scope = draw(st.sampled_from([True, True, True, False]))
    first, last = (len(above), len(above) + len(old)) if in_scope else (0, len(after))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(first, last))
        end = draw(st.integers(start, min(last, start + 3)))
        new = draw(st.lists(LINE, max_size=3))
        after[start:end] = new
        last += len(new) - (end - start)
    return above, old, below, after


def check(text: list[str], above: list[str], old: list[str], below: list[str], after: list[str]) -> None:
    """Check that a patch gives the text it was made from, or is refused."""
    result = patched(text, old, Surroundings(("#",), above, below))
    assert isinstance(result, Refusal) or result.lines == between(after, above, below)


@given(edits(), st.integers(0, 5), st.booleans(), st.booleans(), st.booleans())
def test_a_diff_is_applied_exactly_or_refused(
    edit, n_context, loses_numbers, loses_spaces, is_fenced
) -> None:
    above, old, below, after = edit
    text = list(difflib.unified_diff([*above, *old, *below], after, "a/x", "b/x", lineterm="", n=n_context))
    if loses_numbers:
        text = ["@@" if line.startswith("@@ -") else line for line in text]
    if loses_spaces:
        text = ["" if line == " " else line for line in text]
    check([*text, "```", "- so it is"] if is_fenced else text, above, old, below, after)


@given(edits(), st.integers(0, 3))
def test_search_replace_blocks_are_applied_exactly_or_refused(edit, n_context: int) -> None:
    above, old, below, after = edit
    before = [*above, *old, *below]
    text: list[str] = []
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(n_context):
        search, replace = before[group[0][1] : group[-1][2]], after[group[0][3] : group[-1][4]]
        assume(search)  # a block without search lines replaces the scope
        text += ["<<<<<<< SEARCH", *search, "=======", *replace, ">>>>>>> REPLACE"]
    check(text, above, old, below, after)


@given(edits(), st.integers(0, 3), st.data())
def test_an_envelope_is_applied_exactly_or_refused_and_never_cut(
    edit, n_context: int, data: st.DataObject
) -> None:
    above, old, below, after = edit
    before = [*above, *old, *below]
    text = ["*** Begin Patch", "*** Update File: x"]
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(n_context):
        text.append("@@")
        for tag, start, end, new_start, new_end in group:
            removed, added = before[start:end], after[new_start:new_end]
            text += [f" {line}" for line in removed] if tag == "equal" else [f"-{line}" for line in removed]
            text += [] if tag == "equal" else [f"+{line}" for line in added]
    check([*text, "*** End Patch"], above, old, below, after)
    cut = text[: data.draw(st.integers(1, len(text)))]
    assert isinstance(patched(cut, old, Surroundings(("#",), above, below)), Refusal)
