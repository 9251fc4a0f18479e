"""The mutants: small mistakes in the engine, of the kind that people make.

Each replaces one piece of text that stands exactly once in its file. Where an engine has changed so that the text is
found no more, the mutant is to be written anew: it is not dropped.
"""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """A mistake: in ``file`` of the package, ``text`` is replaced by ``wrong``."""

    name: str
    file: str
    text: str
    wrong: str


MUTANTS = [
    Mutant(
        "a held line is overtaken by one that is kept",
        "stream/aligner.py",
        "if not self._held and self._next_old < len(self._old) and self._old[self._next_old] == line:",
        "if self._next_old < len(self._old) and self._old[self._next_old] == line:",
    ),
    Mutant(
        "a changed line that comes as itself is a new one",
        "stream/aligner.py",
        "self._ops.append(Insert(line, self._changed))",
        "self._ops.append(Insert(line))",
    ),
    Mutant(
        "one that is shown already is put back by a rejection",
        "stream/scope/batches.py",
        "[row._replace(other=None), *self._rows",
        "[row, *self._rows",
    ),
    Mutant(
        "a change of a line the user touched is settled at once",
        "stream/scope/live_scope.py",
        "return row.kind is not RowKind.OLD or row.old != op.index or row.is_touched",
        "return False",
    ),
    Mutant(
        "old lines that are left at the end stay",
        "stream/aligner.py",
        "self._delete_to(len(self._old))",
        "pass",
    ),
    Mutant(
        "ambiguous lines are held without limit",
        "stream/aligner.py",
        "must_decide = final or len(held) >= MAX_HELD",
        "must_decide = final",
    ),
    Mutant(
        "a batch is written one row too low",
        "stream/scope/batches.py",
        "self._edits.write(self._at, 0, (line,))",
        "self._edits.write(min(self._at + 1, len(self._rows) - 1), 0, (line,))",
    ),
    Mutant(
        "a change goes on behind a kept line",
        "stream/scope/batches.py",
        "self._old, self._is_hunk_open = until, False",
        "self._old = until",
    ),
    Mutant(
        "new lines stay when everything is taken back",
        "stream/scope/batches.py",
        "self._edits.write(self._at, 1)\n            self._removed.append(row.with_removed(()))",
        "self._removed.append(row.with_removed(()))",
    ),
    Mutant(
        "what came while a batch was on its way is forgotten",
        "stream/scope/live_scope.py",
        "del self._pending[: batch.n_ops]",
        "self._pending.clear()",
    ),
    Mutant(
        "a part is kept up to where the answer broke off",
        "stream/scope/live_scope.py",
        "while self._pending and not keeps(self._pending[-1]):",
        "while False:",
    ),
    Mutant(
        "what waits is written after everything was taken back",
        "stream/scope/live_scope.py",
        "self._pending.clear()",
        "pass",
    ),
    Mutant(
        "a carriage return at the end of a piece ends a line at once",
        "stream/answer_lines.py",
        "self._after_cr = True",
        "self._after_cr, text = False, text + '\\n'",
    ),
    Mutant(
        "a last line without a line end is lost",
        "stream/answer_lines.py",
        "return [last] if last or ended_by_cr else []",
        "return [last] if ended_by_cr else []",
    ),
    Mutant(
        "columns on the wire are counted in code points",
        "text/edits.py",
        "start = Position(line, units(old[:head], encoding))",
        "start = Position(line, head)",
    ),
    Mutant(
        "a document's last line is given a line end",
        "text/edits.py",
        "new[-1:] = map(body_of, new[-1:])",
        "pass",
    ),
    Mutant(
        "the common tail of two lines overlaps their common head",
        "text/edits.py",
        "low, high = 0, min(n_old, n_new) - head",
        "low, high = 0, min(n_old, n_new)",
    ),
    Mutant(
        "ops come out of an answer that was refused",
        "stream/edit_stream.py",
        "ops = self._aligner.take_ops()\n        return [] if self.refusal else ops",
        "return self._aligner.take_ops()",
    ),
    Mutant(
        "an answer that was cut off counts as whole",
        "stream/edit_stream.py",
        'if reason != "stop":',
        'if reason == "refusal":',
    ),
    Mutant(
        "blank lines at the end are the answer's own",
        "stream/answers/answer.py",
        "return _blank_head(self._old.lines[::-1])[::-1]",
        "return ()",
    ),
    Mutant(
        "a comment in the place of many lines is code",
        "stream/answers/elided/elision.py",
        "if _omits_code(self._old, self._new, self._instruction, is_patch=is_patch):",
        "if False:",
    ),
    Mutant(
        "a secret may be left out",
        "stream/restored_secrets.py",
        "self.refusal = self.refusal or LOST",
        "pass",
    ),
    Mutant(
        "an altered placeholder is code",
        "stream/restored_secrets.py",
        "if self._placeholders.damaged(line):",
        "if False:",
    ),
    Mutant(
        "a secret of several lines comes back as one",
        "stream/restored_secrets.py",
        "return _LINE_END.split(self._placeholders.restore(line))",
        "return (self._placeholders.restore(line),)",
    ),
]
