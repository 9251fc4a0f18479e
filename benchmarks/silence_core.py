"""Hostile texts for all entry points of ``text``, ``gate``, ``prompt`` and ``workspace`` on the event loop.

Every entry point receives the same texts: 1 MB in one line, 100,000 blank lines, deep nesting, equal lines,
and lines of fragments that these rooms' rules search for, by seed. Sizes are those that the callers allow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from benchmarks.silence import Rows, step_ms

from twospeed.edits.prompting.prompt_context import MAX_BYTES_AT_ONCE
from twospeed.edits.writing.validation import MAX_CHARS_AT_ONCE
from twospeed.gate import GateFacts, GateSettings, check, confirmation_reason, sensitive_uses
from twospeed.prompt import PromptFacts, build_prompt
from twospeed.prompt.answer_form import read_findings
from twospeed.secrets import placeholders
from twospeed.secrets.placeholders import Placeholders
from twospeed.secrets.search import find_secrets, mask_secrets
from twospeed.syntax import scope_code
from twospeed.text import globs, hidden, lines
from twospeed.text.line_blocks import Lines
from twospeed.workspace.gitignore import IgnoreRules, matches_path
from twospeed.workspace.never_send import is_never_sent

Case = tuple[str, Callable[[], object]]

_FRAGMENTS = (
    "token='", "pass=", "password: ", '"auth": ', "key", "://", "a:b@", "$1$", "eyJ", "sk-", "-p ", "curl ", "data:\n", "\n",
    "-----BEGIN PRIVATE KEY-----\n", "seed phrase ", "'a' + ", "TS_SECRET_1_", "q~", "é", "\u202e", "http://", "eval(",
    "import os\n", "# ", "assert ", "raise ", "if not ", "(", "[!", "**/", "\\", " ", "x" * 40, "A1b2C3d4E5f6", "=", ",",
    "- 1: ", "def f():\n", "SELECT ", "base64,", "os.system(", "`", "\t",
)  # fmt: skip
_SHAPES: dict[str, Callable[[int], str]] = {
    "one line": lambda n: "x " * (n // 2),
    "blank lines": lambda n: "\n" * min(n, 100_000),
    "equal lines": lambda n: "    total += price\n" * (n // 19),
    "deep nesting": lambda n: "([{" * (n // 3),
    "deep indentation": lambda n: "".join(" " * depth + "if x:\n" for depth in range(int((2 * n) ** 0.5))),
    "distinct lines": lambda n: "".join(f"value_{number} = {number}\n" for number in range(n // 22)),
} | {
    f"{fragment[:12]!r} again": lambda n, fragment=fragment: fragment * (n // len(fragment))
    for fragment in _FRAGMENTS
}

_MB = 1_000_000
_PROMPT_CHARS = 131_072 * 4
"""Characters of the largest prompt that the config allows."""

_PATTERN_CHARS = 20_000
_PATH_CHARS = 4_000


def shapes(seeds: Sequence[int]) -> Iterator[tuple[str, Callable[[int], str]]]:
    """Yield the name of each shape of text, and a function that makes one of a size."""
    yield from _SHAPES.items()
    for seed in seeds:
        yield f"seed {seed}", partial(_by_chance, seed)


def _by_chance(seed: int, n: int) -> str:
    chance = random.Random(seed)
    units = ["".join(chance.choices(_FRAGMENTS, k=chance.randint(1, 6))) for _ in range(chance.randint(1, 4))]
    return "".join(unit * (n // len(units) // len(unit)) for unit in units)


def _rows(
    seeds: Sequence[int], entries: Callable[[Callable[[int], str]], dict[str, Callable[[], object]]]
) -> Rows:
    for name, make in shapes(seeds):
        for entry, call in entries(make).items():
            yield f"{entry}: {name}", step_ms(lambda call=call: _forgotten(call))  # type: ignore[misc]


def _forgotten(call: Callable[[], object]) -> Callable[[], object]:
    placeholders._detected.cache_clear()  # noqa: SLF001  # or the first measurement answers the others
    return call


def text_rows(seeds: Sequence[int]) -> Rows:
    """Measure ``text``."""
    return _rows(seeds, _of_text)


def _of_text(make: Callable[[int], str]) -> dict[str, Callable[[], object]]:
    long, short = make(_MB), make(MAX_BYTES_AT_ONCE)
    in_prompt = long[:_PROMPT_CHARS]
    split = lines.split_lines(long)
    before, after = (
        Lines.of(split),
        Lines.of([*split[: len(split) // 2], "new\n", *split[len(split) // 2 + 1 :]]),
    )
    return {
        "split_lines": partial(lines.split_lines, long),
        "Lines.of": partial(Lines.of, split),
        "Lines.equals_but_for_ends": partial(before.equals_but_for_ends, after),
        "Lines.n_bytes": lambda: Lines.of(split).n_bytes,
        "dominant_eol": partial(lines.dominant_eol, long),
        "make_visible": partial(hidden.make_visible, in_prompt),
        "make_visible_in_prose": partial(hidden.make_visible_in_prose, in_prompt),
        "first_match": partial(
            globs.first_match, "src/" + make(_PATH_CHARS).replace("\n", "") + "/a.py", ["**/*.key", make(500)]
        ),
        "find_secrets": lambda: list(find_secrets(short)),
        "find_secrets in prose": lambda: list(find_secrets(short, is_prose=True)),
        "mask_secrets": partial(mask_secrets, short),
        "Placeholders.of": lambda: Placeholders.of(short, word="0a1b2c3d").hide_in_scope(short),
    }


def gate_rows(seeds: Sequence[int]) -> Rows:
    """Measure ``gate``."""
    return _rows(seeds, _of_gate)


def _of_gate(make: Callable[[int], str]) -> dict[str, Callable[[], object]]:
    text = make(MAX_CHARS_AT_ONCE // 2)
    old = tuple(lines.bodies_of(lines.split_lines(text)))
    new = (*old[: len(old) // 2], "total = compute(x)", *old[len(old) // 2 :])
    turned = tuple(reversed(old))
    found: dict[str, Callable[[], object]] = {}
    for name, (before, after) in {
        "a line more": (old, new),
        "reversed": (old, turned),
        "all new": (("a = 1",), old),
        "all gone": (old, ("a = 1",)),
    }.items():
        for language_id in ("python", "plaintext"):
            facts = _facts(before, after, language_id)
            found[f"check, {language_id}, {name}"] = partial(check, facts, GateSettings())
    code = scope_code([line + "\n" for line in old], "plaintext", 0, len(old))
    found["touches"] = partial(sensitive_uses, code, (text[:1000],), "python")
    found["confirmation_reason"] = partial(confirmation_reason, "src/" + make(_PATH_CHARS).replace("\n", ""))
    return found


def _facts(old: tuple[str, ...], new: tuple[str, ...], language_id: str) -> GateFacts:
    return GateFacts(
        "selection",
        None,
        0,
        old,
        new,
        language_id=language_id,
        document=Lines.of([line + "\n" for line in old]),
        before=scope_code([line + "\n" for line in old], "plaintext", 0, len(old)),
        after=scope_code([line + "\n" for line in new], "plaintext", 0, len(new)),
    )


def prompt_rows(seeds: Sequence[int]) -> Rows:
    """Measure ``prompt``."""
    return _rows(seeds, _of_prompt)


def _of_prompt(make: Callable[[int], str]) -> dict[str, Callable[[], object]]:
    text, around = make(MAX_BYTES_AT_ONCE // 2), tuple(lines.split_lines(make(_MB)))
    facts = PromptFacts(
        language_id="python",
        file_name="a.py",
        instruction=make(2_000),
        scope_kind="function",
        scope_name="f",
        scope_text=text,
        delimiter="0123456789abcdef",
        before=around,
        after=around,
        diagnostics=(make(1_000),) * 20,
    )
    hides = Placeholders.of(text, word="0a1b2c3d")
    return {
        "build_prompt": partial(build_prompt, facts),
        "read_findings": partial(read_findings, make(MAX_BYTES_AT_ONCE), n_lines=1_000),
        "is_never_sent": partial(is_never_sent, "src/" + make(_PATH_CHARS).replace("\n", ""), [make(500)]),
        "hide": lambda: hides.hide(text),
    }


def workspace_rows(seeds: Sequence[int]) -> Rows:
    """Measure ``workspace``."""
    return _rows(seeds, _of_workspace)


def _of_workspace(make: Callable[[int], str]) -> dict[str, Callable[[], object]]:
    raw = make(_PATTERN_CHARS).encode("utf-8", "replace")
    rules = IgnoreRules(raw)
    path = "src/" + make(_PATH_CHARS).replace("\n", "/")
    return {
        "IgnoreRules": partial(IgnoreRules, raw),
        "IgnoreRules.after": lambda: rules.ignores(rules.after(rules.start, path), is_folder=False),
        "matches_path": partial(matches_path, path, make(500)),
    }
