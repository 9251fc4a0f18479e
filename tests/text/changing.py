"""What the laws of changes are tried on, in both grains: texts in code points and in lines.

New elements can be told from old ones in the first grain, and be equal to them in the second.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from twospeed.text.changes import ChangeSet, Replacement

Text = Any  # a ``str`` or a tuple of lines; a law is the same for both


@st.composite
def change_sets(draw: st.DrawFn, text: Text, new: st.SearchStrategy[Text], *, deletes: bool = True) -> Any:
    replacements: list[Replacement] = []
    at = 0
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(at, len(text)))
        end = draw(st.integers(start, min(len(text), start + 4))) if deletes else start
        replacements.append(Replacement(start, end, draw(new)))
        at = end
    return ChangeSet.of(len(text), replacements)


LETTERS = st.text("abé😋\n", max_size=4)
LINES = st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "c"]), max_size=4).map(tuple)
GRAINS = {"code points": (st.text("xyz\n", max_size=12), LETTERS), "lines": (LINES, LINES)}
grains = st.sampled_from(list(GRAINS))


@st.composite
def chains(draw: st.DrawFn, n: int, *, deletes: bool = True) -> tuple[Text, list[ChangeSet]]:
    """Draw a text and change sets, each made for what the one before leaves."""
    texts, new = GRAINS[draw(grains)]
    text = old = draw(texts)
    found = []
    for _ in range(n):
        found.append(draw(change_sets(text, new, deletes=deletes)))
        text = found[-1].apply(text)
    return old, found


@st.composite
def forks(draw: st.DrawFn, n: int = 2) -> tuple[Text, list[ChangeSet]]:
    """Draw a text and change sets that are all made for it."""
    texts, new = GRAINS[draw(grains)]
    old = draw(texts)
    return old, [draw(change_sets(old, new)) for _ in range(n)]
