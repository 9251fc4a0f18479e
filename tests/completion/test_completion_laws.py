"""Laws of suggestions, with generated documents and answers."""

from __future__ import annotations

import asyncio
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.completion.places import at, inserted

from twospeed.completion.balance import balanced_part, with_text
from twospeed.completion.fitting import fit
from twospeed.completion.kept import Suggestion, SuggestionStats
from twospeed.completion.place import Place
from twospeed.models.base import Limits
from twospeed.routing import LaneEntry
from twospeed.text.document import ContentChange, Document
from twospeed.text.lines import body_of, indent_of
from twospeed.text.positions import Position, Range

ENTRY = LaneEntry("lab", "m", limits=Limits(), is_cloud=False, origin="config")
STATS = SuggestionStats(None, 0.0, None, None)

_CLOSERS = re.compile(r"[)\]}>;,]+|end\b|fi\b|done\b|esac\b")


@st.composite
def programs(draw: st.DrawFn) -> str:
    """A Python program whose lines are all different."""
    lines: list[str] = []
    depth = 0
    for number in range(draw(st.integers(2, 12))):
        if lines and lines[-1].endswith(":"):
            depth += 1
        else:
            depth = draw(st.integers(0, depth))
        kind = draw(st.sampled_from(["call", "call", "block", "value", "blank"]))
        text = {
            "call": f"call_{number}(a{number}, [b{number}, {{c{number}: 1}}])",
            "value": f"value_{number} = first_{number} + second_{number}",
            "block": f"if condition_{number}(x{number}):",
            "blank": f"other_{number}()\n",
        }[kind]
        lines.append("    " * depth + text)
    if lines[-1].endswith(":"):
        lines.append("    " * (depth + 1) + "last()")
    return "\n".join(lines) + "\n"


def suggested(place: Place, answer: str, *, is_chat: bool = False, is_cut: bool = False) -> str:
    return asyncio.run(balanced_part(fit(answer, place, is_chat=is_chat), place, is_cut=is_cut))


@given(programs(), st.data())
@settings(max_examples=200)
def test_an_answer_that_repeats_what_follows_is_only_its_beginning(program: str, data: st.DataObject) -> None:
    lines = program.splitlines(keepends=True)
    first = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(first + 1, len(lines)))
    indent = indent_of(lines[first])
    middle = "".join(lines[first:end])[len(indent) :]
    below = "".join(lines[end:])
    repeated = "".join(lines[end : data.draw(st.integers(end, len(lines)))])
    place = at("".join(lines[:first]) + indent + "|\n" + below)
    text = suggested(place, middle + repeated)
    assert middle.rstrip().startswith(text)
    assert "\n" not in text or text.count("\n") < end - first


BRACKETS = st.text("()[]{}ab,:\n \"'", max_size=30)


def balance(text: str) -> int | None:
    """Return the number of open brackets; None after a wrong closing one."""
    opened: list[str] = []
    for character in text:
        if character in "([{":
            opened.append(character)
        elif character in ")]}" and (not opened or "([{".index(opened.pop()) != ")]}".index(character)):
            return None
    return len(opened)


@given(
    BRACKETS.filter(lambda text: balance(text) == 0 and "|" not in text),
    BRACKETS,
    st.sampled_from(["haskell", "json", "python", "javascript", ""]),
    st.booleans(),
    st.booleans(),
    st.data(),
)
@settings(max_examples=200)
def test_balanced_brackets_stay_balanced(
    document: str, answer: str, language: str, is_chat: bool, is_cut: bool, data: st.DataObject
) -> None:
    cursor = data.draw(st.integers(0, len(document)))
    place = at(f"{document[:cursor]}|{document[cursor:]}", language)
    text = suggested(place, answer, is_chat=is_chat, is_cut=is_cut)
    result = with_text(place, text)
    assert result.text == inserted(place, text)
    if language == "":  # elsewhere a bracket in a string or a comment is none
        assert balance(result.text) == 0


@given(programs(), st.text("ab():= \n\t", max_size=60), st.booleans(), st.booleans(), st.data())
@settings(max_examples=200)
def test_no_line_is_left_of_its_block(
    program: str, answer: str, is_chat: bool, is_cut: bool, data: st.DataObject
) -> None:
    lines = program.splitlines()
    number = data.draw(st.integers(0, len(lines) - 1))
    lines[number] += "|"
    place = at("\n".join(lines))
    text = suggested(place, answer, is_chat=is_chat, is_cut=is_cut)
    for line in text.split("\n")[1:]:
        assert not line.strip() or len(indent_of(line)) >= len(place.indent) or _CLOSERS.match(line.strip())


TEXTS = st.text("ab()\n 😀", min_size=1, max_size=20)


@given(TEXTS, TEXTS, st.data(), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=200)
def test_what_the_user_types_through_leaves_the_rest(
    document: str, text: str, data: st.DataObject, eol: str
) -> None:
    cursor = data.draw(st.integers(0, len(document)))
    place = at(f"{document[:cursor]}|{document[cursor:]}".replace("\n", eol), "haskell")
    suggestion = Suggestion("s1", place, text, (), ENTRY, STATS)
    typed = data.draw(st.integers(0, len(text)))
    now = typed_at(place, text[:typed].replace("\n", eol))
    line = place.line + text[:typed].count("\n")
    column = len(text[:typed].rpartition("\n")[2]) + (place.column if line == place.line else 0)
    assert suggestion.rest_at(now, line, column) == text[typed:]
    assert suggestion.is_in(now) == (typed == len(text))


@given(TEXTS, TEXTS, TEXTS, st.data())
@settings(max_examples=200)
def test_only_what_fits_is_left(document: str, text: str, other: str, data: st.DataObject) -> None:
    """After any change, the rest at any cursor gives exactly the document with the whole suggestion."""
    cursor = data.draw(st.integers(0, len(document)))
    place = at(f"{document[:cursor]}|{document[cursor:]}", "haskell")
    suggestion = Suggestion("s1", place, text, (), ENTRY, STATS)
    start, end = sorted((data.draw(st.integers(0, len(document))), data.draw(st.integers(0, len(document)))))
    changed = document[:start] + other + document[end:]
    now = Document.opened("file:///project/a", 2, "haskell", changed, "utf-16")
    line = data.draw(st.integers(0, len(now.lines) - 1))
    column = data.draw(st.integers(0, len(body_of(now.lines[line]))))
    if rest := suggestion.rest_at(now, line, column):
        assert with_text(Place(now, line, column), rest).text == with_text(place, text).text


def typed_at(place: Place, text: str) -> Document:
    at_cursor = place.document.position(place.line, place.column)
    return place.document.changed(ContentChange(Range(at_cursor, at_cursor), text))[0]


def test_a_position_behind_the_text_leaves_nothing() -> None:
    place = at("a|\n", "haskell")
    suggestion = Suggestion("s1", place, "bc", (), ENTRY, STATS)
    assert suggestion.rest_at(place.document, 1, 0) == ""
    assert Position(0, 1) == place.document.position(0, 1)
