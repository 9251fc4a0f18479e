"""Indent single lines of an answer by a mapping that is believed, and notice lines that speak against it.

Whichever mapping is right, some lines do not follow it: preprocessor's lines at the margin, what is aligned by spaces,
white space of blank lines. And a model may change the indentation of a part of its answer only. So every line that
stands in the old text is looked at twice: it is where it was, or it has moved for a reason that can be seen.
"""

from __future__ import annotations

from twospeed.stream.aligner import is_trivial
from twospeed.stream.answers.evidence import indent_of

from .indent_style import IDENTITY, IndentStyle, Mapping


class Outline:
    """Lines one below the other, by which a line's parent is known: the nearest above that is less indented."""

    def __init__(self) -> None:
        self.above = ""
        self._lines: list[str] = []
        self._n_sorted = 0
        self._open: list[str] = []

    def append(self, line: str) -> None:
        """Take the next line of code."""
        self.above = line
        self._lines.append(line)

    def parent(self, indent: str) -> str:
        """Return the line a next line of this indentation would belong to; empty if there is none."""
        return next((line for line in reversed(self._opened()) if len(indent_of(line)) < len(indent)), "")

    def sibling(self, indent: str) -> str:
        """Return the last line of this indentation below the same parent; empty if there is none."""
        return next((line for line in self._opened() if indent_of(line) == indent), "")

    def _opened(self) -> list[str]:
        # Only what moves asks for it, so the usual line costs nothing.
        for line in self._lines[self._n_sorted :]:
            if line.startswith("#"):
                continue  # a preprocessor's line at the margin belongs to nothing
            depth = len(indent_of(line))
            while self._open and len(indent_of(self._open[-1])) >= depth:
                self._open.pop()
            self._open.append(line)
        self._n_sorted = len(self._lines)
        return self._open


class IndentedLines:
    """The lines of code given so far, and how the next one is indented."""

    def __init__(self, style: IndentStyle) -> None:
        self._style = style
        self._outline = Outline()
        self._spoiled: set[str] = set()

    @property
    def last(self) -> str:
        """The last line of code."""
        return self._outline.above

    def append(self, line: str) -> None:
        """Take a line that is given as it is."""
        self._outline.append(line)

    def indented(self, line: str, mapping: Mapping) -> str | None:
        """Return the answer's next line as the document has it, ``None`` where that is in doubt."""
        text, indent = line.strip(), indent_of(line)
        if not text:
            return self._blank(line, mapping)
        if mapping == IDENTITY:
            place = indent if self._may_stay(indent, text) else None
        else:
            place = self._place(indent, text, mapping)
        if place is None:
            return None
        given = place + line[len(indent) :]
        self._outline.append(given)
        return given

    def _blank(self, line: str, mapping: Mapping) -> str | None:
        """Return a line of white space as the document has it; ``None`` if it may be changed or not."""
        if mapping == IDENTITY:
            return line
        if not line:
            return self._style.blank_below(self._outline.above) if mapping.add else ""
        mapped = mapping(line)
        if mapped is None:
            return line
        if mapping.unit and self._style.is_foreign(line) and line not in self._style.blanks:
            return mapped  # only what was changed as the others were holds such white space
        proved = {blank for blank in (line, mapped) if blank in self._style.blanks}
        proved = proved or {blank for blank in (line, mapped) if blank == indent_of(self._outline.above)}
        return proved.pop() if len(proved) == 1 else None

    def _may_stay(self, indent: str, text: str) -> bool:
        """Whether a line may be right as it is, in an answer that is indented as the document."""
        style = self._style
        twins = style.twins.get(text, ())
        if indent in twins:
            return True
        if style.is_foreign(indent) and not style.is_seen(indent):
            return False
        if not twins:
            return True
        if not is_trivial(text) and all(_are_unlike(indent, twin) for twin in twins):
            return False
        return not style.is_left_of_base(indent) and not self._is_misplaced(indent, text)

    def _place(self, indent: str, text: str, mapping: Mapping) -> str | None:
        """Return where the document has a line of an answer whose indentation was changed; ``None`` in doubt."""
        style, mapped = self._style, mapping(indent)
        twins = style.twins.get(text, set())
        if mapped is not None and mapped in twins:
            return mapped
        if indent in twins and (mapped is None or style.is_left_of_base(indent)):
            return indent  # a preprocessor's line or a line of a string, say, which no change of indentation reaches
        if mapped is None or style.is_foreign(mapped):
            return None
        if not twins or is_trivial(text):
            return mapped if self._may_be_new(indent, text, mapped, mapping) else None
        if mapping.has_loose_unit and len(twins) == 1:
            (twin,) = twins
            if mapping.is_rough(indent, text) or style.is_odd(twin, text):
                # A changed unit spoils what is aligned by spaces; such a line is where it was if its neighbour is.
                self._spoiled.add(indent)
                return twin if self._outline.above in style.lines else None
        return mapped if self._may_have_moved(indent, text, mapped, mapping) else None

    def _may_be_new(self, indent: str, text: str, mapped: str, mapping: Mapping) -> bool:
        """Whether the mapping is certain to be right for a line the old text does not hold."""
        is_far = len(mapped) > len(indent_of(self._outline.above)) + len(self._style.unit)
        is_aligned = mapping.has_loose_unit and (is_far or indent in self._spoiled)
        return not is_aligned and not mapping.is_rough(indent, text)

    def _may_have_moved(self, indent: str, text: str, mapped: str, mapping: Mapping) -> bool:
        """Whether an old line stands elsewhere because the model meant it to."""
        style = self._style
        if (
            mapping.is_rough(indent, text)
            or not mapped.startswith(style.base)
            or self._is_misplaced(mapped, text)
        ):
            return False
        if indent not in style.twins[text]:
            return True
        # Perhaps this line stands where it did because it was not changed as the others were.
        is_strange = bool(mapping.unit) and _are_unlike(indent, style.unit)
        return not is_strange and not self._fits(indent, mapped)

    def _fits(self, indent: str, mapped: str) -> bool:
        """Whether an old line fits where the answer has it."""
        opens, outline = self._style.opens, self._outline
        if len(mapped) < len(indent) and opens(outline.parent(indent).strip()):
            return len(indent) <= len(indent_of(outline.parent(indent))) + len(self._style.unit)
        above = outline.above
        return (
            above in self._style.lines
            and not is_trivial(above)
            and opens(above.strip()) is False
            and len(indent) <= len(indent_of(above))
        )

    def _is_misplaced(self, indent: str, text: str) -> bool:
        """Whether an old line has moved to where nothing new opens or closes, so that it was not the model's intention.

        Lines move when what they belong to changes. Below a line that stands as it stood, and opens nothing, nothing
        gets deeper; below one that opens something, not by more than a level.
        """
        style, outline = self._style, self._outline
        if text[0] in ")]}":
            opener = outline.sibling(indent)
            return opener in style.lines and style.opens(opener.strip()) is False
        if is_trivial(text):
            return False
        if any(len(indent) <= len(twin) for twin in style.twins[text]):
            return False
        parent = outline.parent(indent)
        if parent not in style.lines:
            return False
        if style.opens(parent.strip()):
            return len(indent) > len(indent_of(parent)) + len(style.unit)
        return style.opens(parent.strip()) is False or parent.strip()[0] in ")]}"


def _are_unlike(indent: str, other: str) -> bool:
    """Whether one is of tabs and the other of spaces."""
    return bool(indent and other) and set(indent).isdisjoint(other)
