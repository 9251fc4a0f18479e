"""The question at a terminal: whether to write the shown changes, all or some, or to change the instruction."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from twospeed.cli.client.terminal import ask_line, can_ask
from twospeed.cli.preview import changes_of, text_with
from twospeed.cli.render import ShownFile, diff_text
from twospeed.cli.visible import complain, one_line, write_out

Asks = Callable[[str], Awaitable[str]]
"""Asks a question; returns the typed line, empty at the end of input."""

_QUESTION = "[a]pply, [e]dit the instruction, decide per [h]unk, [q]uit? "
_SAVED_QUESTION = "[a]pply, decide per [h]unk, [q]uit? "
_HUNK_QUESTION = "write hunk {number} of {total}? [y]es, [n]o, [q]uit without writing: "


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user decided: an instruction to run instead, else the texts to write, as many as files."""

    texts: Sequence[str] = ()  # empty: write nothing
    instruction: str | None = None


def asks_at_terminal(*, has_other_output: bool) -> bool:
    """Return whether the user sees the diff and can answer; other output, such as JSON, is for a program."""
    return not has_other_output and sys.stdout.isatty() and can_ask()


async def decide(files: Sequence[ShownFile], instruction: str | None, *, ask: Asks = ask_line) -> Choice:
    """Ask until the answer is clear. The texts contain only changes of the shown files.

    Without an instruction, no other one can be run.
    """
    question, letters = (_SAVED_QUESTION, "ahq") if instruction is None else (_QUESTION, "aehq")
    match await _choice(question, letters, ask):
        case "a":
            return Choice([file.new for file in files])
        case "e":
            typed = await ask(f'instruction (Enter repeats "{one_line(instruction or "", 200)}"): ')
            return Choice(instruction=typed.strip() or instruction) if typed else Choice()
        case "h":
            return await _decide_hunks(files, ask)
        case _:
            return Choice()


async def _decide_hunks(files: Sequence[ShownFile], ask: Asks) -> Choice:
    changes = [changes_of(file.old, file.new) for file in files]
    total = sum(map(len, changes))
    number = 0
    texts = []
    for file, of_file in zip(files, changes, strict=True):
        chosen = []
        for change in of_file:
            number += 1
            shown = replace(file, new=text_with(file.old, [change]))
            write_out(sys.stdout, "\n".join(diff_text(shown)) + "\n")
            match await _choice(_HUNK_QUESTION.format(number=number, total=total), "ynq", ask):
                case "y":
                    chosen.append(change)
                case "q":
                    return Choice()
                case _:
                    pass
        texts.append(text_with(file.old, chosen))
    return Choice(texts)


async def _choice(question: str, letters: str, ask: Asks) -> str:
    while typed := await ask(question):
        word = typed.strip().lower()
        if word and word[0] in letters and word in _WORDS[word[0]]:
            return word[0]
        complain(f"type one of the letters {', '.join(letters)}")
    sys.stderr.write("\n")  # the end of input leaves the cursor behind the question
    return "q"


_WORDS = {word[0]: (word[0], word) for word in ("apply", "edit", "hunk", "quit", "yes", "no")}
