"""Mutations that no test can notice, because the program behaves the same: each with the reason.

One is found again by module, function, kind and text, wherever its line moves. What is performance alone counts as the
same behaviour; what a user, a client or a caller could tell does not belong here.
"""

from __future__ import annotations

from typing import NamedTuple


class Equivalent(NamedTuple):
    """A mutation of one function; ``nth`` counts those with the same kind and texts in it, from 0."""

    module: str
    function: str
    kind: str
    old: str
    new: str
    reason: str
    nth: int = 0

    @property
    def key(self) -> tuple[str, str, str, str, str, int]:
        """What it has in common with its mutation."""
        return self.module, self.function, self.kind, self.old, self.new, self.nth


EQUIVALENT = [
    *(
        Equivalent(
            "config/spending.py",
            "DaysSpending.__init__",
            "off by one",
            "0",
            "1",
            "The counts are set to 0 for the first day and the first file, before they are read.",
            nth,
        )
        for nth in range(3)
    ),
    Equivalent(
        "delivery/last_gate.py",
        "check_edits",
        "compare",
        ">",
        ">=",
        "No edit begins before the first line, wherever that bound is.",
    ),
    Equivalent(
        "edits/desk.py",
        "Desk.cancel",
        "default",
        '"none"',
        '"XXnone"',
        "Whatever is not `partial` puts the old text back.",
    ),
    Equivalent(
        "edits/desk.py",
        "Desk.stop",
        "default",
        '"none"',
        '"XXnone"',
        "Whatever is not `partial` puts the old text back.",
    ),
    Equivalent(
        "edits/run.py",
        "EditRun.__init__",
        "string",
        '"none"',
        '"XXnone"',
        "Whatever is not `partial` puts the old text back.",
    ),
    Equivalent(
        "gate/risks.py",
        "removed_safeguards",
        "early exit dropped",
        "return",
        "pass",
        "Spares the counting where nothing that was removed holds something back; both ways nothing is found.",
        nth=1,
    ),
    Equivalent(
        "models/answer_reader.py",
        "AnswerReader._split",
        "and/or",
        "and",
        "or",
        "Which event a run is compared with: the same text is read, and a run may be found later.",
    ),
    Equivalent(
        "models/answer_reader.py",
        "AnswerReader._events",
        "arithmetic",
        "-",
        "+",
        "How often runs are looked for, in an answer that has few.",
    ),
    Equivalent(
        "models/answer_reader.py",
        "AnswerReader._events",
        "arithmetic",
        "-",
        "+",
        "How often runs are looked for, in an answer that has few.",
        nth=1,
    ),
    Equivalent(
        "models/answer_reader.py",
        "AnswerReader._events",
        "compare",
        ">=",
        ">",
        "How often runs are looked for, in an answer that has few.",
    ),
    Equivalent(
        "models/deadlines.py",
        "_Alarm.__init__",
        "true/false",
        "False",
        "True",
        "Each wait sets it before it is read.",
    ),
    Equivalent(
        "models/text_runs.py",
        "TextRuns.learn",
        "assignment dropped",
        "self._fixed = []",
        "pass",
        "The pattern before says the same until something else was said, when forget takes it away.",
    ),
    Equivalent(
        "models/text_runs.py",
        "TextRuns.learn",
        "compare",
        "<",
        "<=",
        "How many patterns are tried before none is looked for any more.",
    ),
    Equivalent(
        "models/text_runs.py",
        "TextRuns.forget",
        "assignment dropped",
        "self._seen = None",
        "pass",
        "An event is looked into by what it would mean when the next one comes.",
    ),
    Equivalent(
        "models/text_runs.py",
        "TextRuns._look_into",
        "off by one",
        "1",
        "2",
        "How many patterns are tried before none is looked for any more.",
    ),
    Equivalent(
        "models/builtin/f_strings.py",
        "_parted",
        "off by one",
        "1",
        "2",
        "What touches a literal from the left is a keyword, which has two letters or more, or no word.",
    ),
    Equivalent(
        "models/key_pieces.py",
        "_without_escapes",
        "early exit dropped",
        "return lower, None",
        "pass",
        "Without it a text without escapes is walked through, and each character keeps its place.",
    ),
    Equivalent(
        "models/key_pieces.py",
        "_without_escapes",
        "off by one",
        "1",
        "2",
        "An offset behind the end of the text, which no piece has.",
    ),
    Equivalent(
        "routing/assemble.py",
        "pick_models",
        "off by one",
        "1",
        "2",
        "Of several names without a size min and max both take the first.",
    ),
    Equivalent(
        "routing/cooldowns.py",
        "Cooldowns.failed",
        "off by one",
        "10",
        "11",
        "The exponent is bounded against overflow; the time itself is bounded by _MAX_GUESS_S long before.",
    ),
    Equivalent(
        "syntax/function_parts.py",
        "_Copying._copy_string",
        "true/false",
        "False",
        "True",
        "What stands in a string is a string or a value in braces, and neither is a name or hands on that names are bound.",
    ),
    Equivalent(
        "text/secret_places.py",
        "",
        "keyword dropped",
        "is_anywhere=True,",
        "",
        "The expression begins with the mark itself, so looking at each mark finds the same; only frequent marks cost more.",
    ),
    Equivalent(
        "text/secret_places.py",
        "",
        "true/false",
        "True",
        "False",
        "The same argument, turned round.",
    ),
]
