"""A whole answer that is cut anywhere, contains hidden characters, or never ends."""

from __future__ import annotations

import itertools

import pytest

from twospeed.stream import EditStream, Surroundings
from twospeed.stream.edit_stream import CHARS_PER_OLD_CHAR, FREE_CHARS
from twospeed.stream.ops import Change, Delete, Insert, Keep, Op

OLD = ["total = 0", "for price in prices:", "    total += price"]
PLACE = Surroundings(comment_markers=("#",), parses=lambda _text: True)


def written(chunks: list[str], old: list[str] = OLD) -> tuple[list[str] | str, dict[str, int]]:
    """Stream an answer; return the new lines, or the code of the refusal, and the removed characters."""
    stream = EditStream(old, PLACE)
    ops: list[Op] = []
    for chunk in chunks:
        ops += stream.receive_text(chunk)
    ops += stream.finish("stop")
    if stream.refusal:
        return stream.refusal.code, dict(stream.dropped)
    lines: list[str] = []
    at = 0
    for op in ops:
        match op:
            case Keep(until):
                lines += old[at:until]
                at = until
            case Delete(until):
                at = until
            case Change(index, line):
                lines.append(line)
                at = index + 1
            case Insert(line):
                lines.append(line)
    return lines, dict(stream.dropped)


def in_halves(text: str) -> str:
    """Split characters beyond the first plane into surrogates, as JSON writes them."""
    units = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(int.from_bytes(units[at : at + 2], "little")) for at in range(0, len(units), 2))


KINDS = [
    "a",
    "é",
    "日",
    "😋",
    "❤️",
    "👩\u200d💻",
    "می\u200cشود",
    "\u202e",
    "\x00",
    "\U000e0041",
    "\ud83d",
    "\ude0b",
    "a\u200d",
]


@pytest.mark.security("R3.2")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("kind", KINDS, ids=ascii)
def test_hidden_characters_are_removed_for_any_chunks(kind: str, end: str) -> None:
    answer = end.join([OLD[0], OLD[1], f"{kind}{kind}x", OLD[2], ""])
    whole = written([answer])
    assert whole[0] not in ("empty", "not-code")
    text = in_halves(answer)
    start = len(end.join([*OLD[:2], ""])) - len(end)
    places = range(start, text.index(OLD[2]) + 2)
    for first, second in itertools.combinations_with_replacement(places, 2):
        assert written([text[:first], text[first:second], text[second:]]) == whole
    assert written(list(text)) == whole


@pytest.mark.security("R3.2")
@pytest.mark.parametrize("answer", ["\u200b", "\u202e\n\u2066\n", "```python\n\u200b\ufeff\n```\n", "\ud83d"])
def test_an_answer_of_hidden_characters_alone_is_empty(answer: str) -> None:
    assert written([answer])[0] == "empty"


def test_the_documents_byte_order_mark_is_kept_and_another_is_removed() -> None:
    marked = ["\ufeff" + OLD[0], *OLD[1:]]
    bare = ["\n".join(OLD)]
    assert written(bare, marked) == (marked, {})
    assert written(["\ufeff" + bare[0]], marked) == (marked, {})
    assert written(["\ufeff" + bare[0]], OLD) == (OLD, {"\ufeff": 1})


@pytest.mark.security("R3.2")
def test_an_answer_that_equals_the_old_text_but_for_hidden_characters_changes_nothing() -> None:
    stream = EditStream(OLD, PLACE)
    ops = stream.receive_text("\u200b\n".join([*OLD, ""]))
    assert [*ops, *stream.finish("stop")] == [Keep(3)]
    assert stream.dropped == {"\u200b": 3}


@pytest.mark.security("R3.2")
@pytest.mark.parametrize(
    "answer",
    [
        "\n".join(OLD).replace("total", "amount"),
        "```python\n" + "\n".join(OLD) + "\n```\nDone.",
        "<think>\nwell\n</think>\n" + "\n".join(OLD),
        f"{OLD[0]}\n# ... rest unchanged ...\n",
        f"{OLD[0]}\n# the rest is unchanged\n",
        "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-total = 0\n+total = 1\n",
        "I cannot help with that.",
    ],
    ids=["code", "fence", "thinking", "marker", "marker in words", "patch", "talk"],
)
def test_hidden_characters_do_not_hide_text_from_the_rules(answer: str) -> None:
    hostile = "".join(f"\u200b{character}\u2060" for character in answer)
    assert written([hostile])[0] == written([answer])[0]


# Limits

ROOM = CHARS_PER_OLD_CHAR * len("\n".join([*OLD, ""])) + FREE_CHARS


def large(n_chars: int) -> str:
    """An answer of exactly this many characters, in lines of a usual length."""
    first, *others = (f"{line}\n" for line in OLD)
    line = f'words = "{"w" * 1000}"\n'
    n_lines, n_more = divmod(n_chars - len("".join([first, *others])), len(line))
    return "".join([first, *[line] * (n_lines - 1), line.replace("ww", "w" * (n_more + 2), 1), *others])


@pytest.mark.security("R10.1")
def test_an_answer_may_be_as_large_as_the_limit() -> None:
    assert written([large(ROOM)])[0] == large(ROOM).splitlines()


@pytest.mark.security("R10.1")
@pytest.mark.parametrize("size", [1, 1000, ROOM + 1], ids=["by characters", "in chunks", "at once"])
def test_an_answer_above_the_limit_is_refused_when_it_arrives(size: int) -> None:
    stream = EditStream(OLD, PLACE)
    text = large(ROOM + 1)
    for start in range(0, len(text), size):
        assert stream.refusal is None
        stream.receive_text(text[start : start + size])
    assert stream.refusal
    assert stream.refusal.code == "growth"
    assert stream.receive_text("y = 1\n") == []
    assert stream.finish("stop") == []


@pytest.mark.security("R10.1")
@pytest.mark.parametrize(
    "start",
    ["<think>\n", "Well, ", "```python\n" + "\n".join(OLD) + "\n```\nNote: ", "", "\u200b"],
    ids=["thinking", "talk", "talk behind", "nothing", "hidden"],
)
def test_all_received_characters_count_to_the_limit(start: str) -> None:
    stream = EditStream(OLD, PLACE)
    stream.receive_text(start)
    for _ in range(ROOM // 1000):
        stream.receive_text(start[-1:] * 1000 or " " * 1000)
    assert not stream.refusal
    stream.receive_text(" " * 1000)
    assert stream.refusal
    assert stream.refusal.code == "growth"


def test_a_refusal_before_the_limit_is_returned() -> None:
    text = "```\n" + "\n".join(OLD) + "\n```\n```\n"
    assert written([text + "x" * ROOM])[0] == written([text, "x" * ROOM])[0] == "ambiguous"


def test_text_after_the_limit_is_not_read() -> None:
    text = "```\n" + "\n".join(OLD) + "\n```\n" + "x" * ROOM
    assert written([text + "\n```\n"])[0] == written([text, "\n```\n"])[0] == "growth"


@pytest.mark.security("R10.1")
@pytest.mark.parametrize("line", ["/*{}x", "#{}...", "{}y"])
@pytest.mark.parametrize("filling", [" ", "`", "a ", "\u200b", "\ud83d"], ids=ascii)
def test_the_time_of_a_long_line_grows_with_its_length(line: str, filling: str) -> None:
    """A quadratic cost would take minutes here."""
    text = "\n".join([OLD[0], line.format(filling * 100_000), *OLD[1:]])
    assert written([text]) == written([text[:100], text[100:]])
