"""Documents, scopes, new texts made from old ones, and paces, for the laws of the engine.

Unrelated texts are simply replaced; edited texts are the hard case. So a new text is the old one after a few
steps of an editor, over alphabets small enough for lines to repeat.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

EOLS = ("\n", "\r\n", "\r")

FEW = ["a()", "b()", "}", ""]
SAME = ["x = 1"]
CODE = [
    "def total(items, tax):",
    "    result = 0",
    "    for item in items:",
    "        result += item.price",
    "        result += item.price * tax",
    "    if result:",
    "        return result",
    "    return None",
    "",
    "    }",
]
ODD = [
    "\té😋 = '🦊'",  # beyond the plane that UTF-16 writes in one unit
    "e\u0301 = 'n\u0303'",  # combining
    "a\u2028b = 1",  # these end no line, though ``str.splitlines`` thinks so
    "a\u0085b",
    "\fpage()",
    "\x1c\v",
    "   ",
    "",
    "😋",
    "a()",
]


@dataclass(frozen=True)
class Case:
    """A scope in a document, and its lines at the end, without line ends."""

    above: tuple[str, ...]
    old: tuple[str, ...]
    below: tuple[str, ...]
    new: tuple[str, ...]
    eols: tuple[str, ...]
    encoding: str = "utf-16"

    @property
    def lines(self) -> tuple[str, ...]:
        """All lines of the document; the last has no line end."""
        return (*self.above, *self.old, *self.below)

    @property
    def text(self) -> str:
        """The document before the edit."""
        return "".join(itertools.chain(*zip(self.lines, (*self.eols, ""), strict=True)))

    @property
    def has_one_eol(self) -> bool:
        """Whether all lines end alike."""
        return len(set(self.eols)) <= 1

    def lines_with(self, scope: Iterable[str]) -> list[str]:
        """Return all lines of the document with these in the scope; a document has at least one."""
        return [*self.above, *scope, *self.below] or [""]


_STEPS = ["delete", "insert", "change", "rewrite", "copy", "move"]


@dataclass(frozen=True)
class Alphabet:
    """Strategies for texts of some lines; made once, because making them costs more than drawing from them."""

    texts: st.SearchStrategy[list[str]]
    around: st.SearchStrategy[list[str]]
    steps: st.SearchStrategy[list[tuple[str, int, int, str]]]

    @classmethod
    def of(cls, lines: Sequence[str]) -> Alphabet:
        line = st.sampled_from(lines)
        step = st.tuples(st.sampled_from(_STEPS), st.integers(0, 15), st.integers(1, 4), line)
        return cls(st.lists(line, max_size=9), st.lists(line, max_size=2), st.lists(step, max_size=5))


@st.composite
def edited(draw: st.DrawFn, old: list[str], alphabet: Alphabet) -> list[str]:
    """Draw an edited version of ``old``."""
    new = list(old)
    for kind, place, n, line in draw(alphabet.steps):
        at = place % (len(new) + 1)
        block = new[at : at + n]
        match kind:
            case "delete":
                del new[at : at + n]
            case "insert":
                new.insert(at, line)
            case "change":
                new[at : at + n] = [_changed(each) for each in block]
            case "rewrite":
                new[at : at + n] = [line]
            case "copy":
                new[at:at] = block
            case _:  # move
                del new[at : at + n]
                to = (place * n) % (len(new) + 1)
                new[to:to] = block
    return new


def _changed(line: str) -> str:
    """Double a character in the middle, so that the common ends of both lines can overlap."""
    middle = len(line) // 2
    return f"{line[:middle]}{line[middle : middle + 1] or '_'}{line[middle:]}"


alphabets = st.sampled_from([Alphabet.of(lines) for lines in (FEW, SAME, CODE, ODD, CODE + ODD)])
encodings = st.sampled_from(["utf-16", "utf-8", "utf-32"])


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a scope anywhere in a document, also empty or at its end, and its new lines."""
    alphabet = draw(alphabets)
    above, old, below = draw(alphabet.around), draw(alphabet.texts), draw(alphabet.around)
    is_edited = draw(st.integers(0, 2)) < 2
    new = draw(edited(old, alphabet)) if is_edited else draw(alphabet.texts)
    if not above and not old and not below:
        below = [""]  # an empty document is one empty line
    eols = draw(line_ends([*above, *old, *below][1:]))
    return Case(tuple(above), tuple(old), tuple(below), tuple(new), eols, draw(encodings))


@st.composite
def line_ends(draw: st.DrawFn, followers: list[str]) -> tuple[str, ...]:
    """Draw a line end for each of these lines: one kind throughout, or any."""
    kind = draw(st.integers(0, 3 ** len(followers) + 2))
    if kind < len(EOLS):
        return (EOLS[kind],) * len(followers)
    eols = [EOLS[kind // 3**index % 3] for index in range(len(followers))]
    for index, line in enumerate(followers[:-1]):
        if line == "" and eols[index] == "\r" and eols[index + 1] == "\n":
            eols[index] = "\r\n"  # or the two would be one
    return tuple(eols)


# How an answer arrives


@dataclass(frozen=True)
class Pace:
    """The pieces of an answer, and after which of them the document is updated.

    Attributes:
        sizes: Lengths of the pieces in code units of UTF-16, repeated.
        shows: Whether a batch is sent after a piece, repeated.
        eol: The line end of the answer.
        has_final_eol: Whether the answer ends with a line end.
    """

    sizes: tuple[int, ...] = (1,)
    shows: tuple[bool, ...] = (True,)
    eol: str = "\n"
    has_final_eol: bool = True

    def text(self, lines: Sequence[str]) -> str:
        """Return the text of an answer of these lines."""
        ends_itself = bool(lines) and bool(lines[-1])
        return self.eol.join(lines) + (self.eol if lines and (self.has_final_eol or not ends_itself) else "")

    def pieces(self, text: str) -> Iterator[tuple[str, bool]]:
        """Cut a text; a character outside the first plane may be cut in two, as in UTF-16."""
        raw = text.encode("utf-16-le", "surrogatepass")
        at = 0
        for size, is_shown in zip(itertools.cycle(self.sizes), itertools.cycle(self.shows), strict=False):
            if at >= len(raw):
                return
            yield raw[at : at + 2 * size].decode("utf-16-le", "surrogatepass"), is_shown
            at += 2 * size


SIZES = [(1,), (2,), (3,), (4, 1, 2), (5, 9), (20,), (100_000,)]
SHOWS = [(True,), (True, False), (False, False, True), (False, True, True, False, False, False), (False,)]
paces = st.sampled_from([Pace(*each) for each in itertools.product(SIZES, SHOWS, EOLS, [True, False])])

# Functions as people write them: valid before and after


@dataclass(frozen=True)
class Style:
    """The syntax of functions in a language."""

    head: tuple[str, ...]
    units: tuple[tuple[str, ...], ...]
    tail: tuple[str, ...]
    comment: str


PYTHON = Style(
    head=("def total(items, tax=0):", '    """Add up."""'),
    units=(
        ("    result = 0",),
        ("    result = items.count()",),
        ("    for item in items:", "        result += item.price"),
        ("    for item in items:", "        result += item.price * tax", "        seen.add(item)"),
        ("    if tax:", "        result *= tax", "", "    else:", "        log('😋', tax)"),
        ("    names = [item.name for item in items]",),
        ("    seen = set()", ""),
        ("    print(result)",),
        ("",),
    ),
    tail=("    return result",),
    comment="#",
)
BRACES = Style(
    head=("int total(Item *items, int n) {",),
    units=(
        ("\tint result = 0;",),
        ("\tfor (int i = 0; i < n; i++) {", "\t\tresult += items[i].price;", "\t}"),
        ("\tif (n > 0) {", "\t\tresult *= n;", "\t} else {", '\t\tlog("😋", n);', "\t}"),
        ("\tcount(items, n);",),
        ("\tcount(items, n + 1);", ""),
        ("\tresult += 1;",),
        ("",),
    ),
    tail=("\treturn result;", "}"),
    comment="//",
)


@st.composite
def functions(draw: st.DrawFn, style: Style) -> tuple[list[str], list[str]]:
    """Draw a function and an edited version; both are complete, with equal first and last lines."""
    units = _UNITS[style]
    old = draw(units.texts)
    new = draw(edited(old, units))
    return _function(style, old), _function(style, new)


_UNITS = {style: Alphabet.of([*map(str, range(len(style.units)))]) for style in (PYTHON, BRACES)}


def _function(style: Style, units: list[str]) -> list[str]:
    """Return a function of statements by their numbers; a changed number is another statement."""
    body = itertools.chain.from_iterable(style.units[int(unit) % len(style.units)] for unit in units)
    return [*style.head, *body, *style.tail]
