"""Omitted code is never lost silently; comments that explain a change are kept."""

from __future__ import annotations

import random
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twospeed.stream import EditStream, Surroundings

PYTHON, C_LIKE, SQL, MARKUP = ("#",), ("//",), ("--",), ()

ORDER = dedent("""\
    def place(order, stock, mailer):
        if not order.items:
            raise EmptyOrder(order.id)
        missing = [item for item in order.items if item.sku not in stock]
        if missing:
            return Rejected(missing)
        for item in order.items:
            stock[item.sku] -= item.count
        total = sum(item.price * item.count for item in order.items)
        invoice = Invoice(order.customer, total)
        mailer.send(order.customer.address, invoice)
        return Accepted(invoice)
    """).splitlines()

ORDER_IN_JS = dedent("""\
    function place(order, stock, mailer) {
      if (!order.items.length) {
        throw new EmptyOrder(order.id)
      }
      const missing = order.items.filter((item) => !(item.sku in stock))
      if (missing.length) return reject(missing)
      for (const item of order.items) {
        stock[item.sku] -= item.count
      }
      const invoice = new Invoice(order.customer, priceOf(order))
      mailer.send(order.customer.address, invoice)
      return accept(invoice)
    }
    """).splitlines()


def refusal(
    old: list[str], new: list[str], markers: tuple[str, ...] = PYTHON, seed: int | None = None
) -> str | None:
    """Stream an answer, whole or in small pieces; return the code of the refusal, if any."""
    stream = EditStream(old, Surroundings(markers, parses=lambda _: True))
    text, sizes = "\n".join(["```", *new, "```", ""]), random.Random(seed)
    while text:
        size = sizes.randint(1, 9) if seed is not None else len(text)
        stream.receive_text(text[:size])
        text = text[size:]
    stream.finish("stop")
    return stream.refusal.code if stream.refusal else None


def without(old: list[str], start: int, end: int, *instead: str) -> list[str]:
    """Replace lines ``start`` to ``end``, the end excluded, by others, indented like the first."""
    indent = old[start][: len(old[start]) - len(old[start].lstrip())]
    return [*old[:start], *(indent + line for line in instead), *old[end:]]


PHRASES = [
    "... existing code ...",
    "...",
    "\u2026",
    "(unchanged)",
    "[lines 20-40 omitted for brevity]",
    "rest unchanged",
    "keep the validation logic as is",
    "as you had it",
    "see above",
    "snip",
    "identical",
    "banana",
    "TODO",
    "x",
    "\U0001f447",
    "--- 8< ---",
    "~",
    "nichts ge\u00e4ndert hier",
    "le reste sans changement",
    "el resto del c\u00f3digo queda igual",
    "\u043e\u0441\u0442\u0430\u043b\u044c\u043d\u043e\u0435 \u0431\u0435\u0437 \u0438\u0437\u043c\u0435\u043d\u0435\u043d\u0438\u0439",
    "\u4ee5\u4e0b\u540c\u3058",
    "\u5176\u4f59\u4ee3\u7801\u4e0d\u53d8",
    "\ub098\uba38\uc9c0 \ucf54\ub4dc\ub294 \ub3d9\uc77c",
    "\u0628\u0627\u0642\u064a \u0627\u0644\u0643\u0648\u062f \u0643\u0645\u0627 \u0647\u0648",
]


@pytest.mark.parametrize("phrase", PHRASES)
@pytest.mark.parametrize(("start", "end"), [(1, 4), (3, 6), (5, 11), (1, 12), (6, 12)], ids=str)
def test_a_comment_in_place_of_lines_is_refused_whatever_its_words(phrase: str, start: int, end: int) -> None:
    assert refusal(ORDER, without(ORDER, start, end, f"# {phrase}")) == "elided"


@pytest.mark.parametrize("phrase", ["... same ...", "unver\u00e4ndert", "the loop stays", "banana"])
@pytest.mark.parametrize(
    "comment",
    [
        ("// {}",),
        ("/* {} */",),
        ("/*", " * {}", " */"),
        ("//", "// {}", "//"),
        ("{{/* {} */}}",),
    ],
)
def test_an_omission_is_refused_in_every_comment_style(phrase: str, comment: tuple[str, ...]) -> None:
    marker = [line.format(phrase) for line in comment]
    assert refusal(ORDER_IN_JS, without(ORDER_IN_JS, 4, 9, *marker), C_LIKE) == "elided"


@pytest.mark.parametrize(
    "line", ["...", "\u2026", "[...]", "... rest of the function ...", "(existing code)", '"""unchanged"""']
)
def test_an_omission_without_a_comment_marker_is_refused(line: str) -> None:
    assert refusal(ORDER, without(ORDER, 3, 8, line)) == "elided"


@pytest.mark.parametrize(
    ("old", "marker", "markers"),
    [
        (
            [f"<li class='row'>{name}</li>" for name in ("one", "two", "six", "ten", "all")],
            "<!-- rows -->",
            MARKUP,
        ),
        (
            [f"  {name} VARCHAR(20)," for name in ("name", "street", "town", "country", "code")],
            "-- same",
            SQL,
        ),
        ([f"DOC {number}: see {number}" for number in range(5)], "... other lines ...", MARKUP),
    ],
)
def test_an_omission_is_refused_in_other_languages(
    old: list[str], marker: str, markers: tuple[str, ...]
) -> None:
    assert refusal(old, without(old, 1, 4, marker), markers) == "elided"


@pytest.mark.parametrize(
    "lines",
    [
        ("return Rejected(missing)  # ... rest of the function unchanged",),
        ("return Rejected(missing)  # banana",),
    ],
)
def test_an_omission_after_code_on_a_kept_line_is_refused(lines: tuple[str, ...]) -> None:
    assert refusal(ORDER, without(ORDER, 5, 12, *lines)) == "elided"


@pytest.mark.parametrize("phrase", ["... existing code ...", "gleich", "as before"])
def test_changes_next_to_a_marker_do_not_hide_the_marker(phrase: str) -> None:
    changed = ["logger.debug('placing %s', order.id)", f"# {phrase}", "return Accepted(invoice, order.id)"]
    assert refusal(ORDER, without(ORDER, 5, 12, *changed)) == "elided"
    assert refusal(ORDER, without(ORDER, 5, 12, f"# {phrase}", "logger.debug('placed')")) == "elided"


def test_each_of_several_markers_is_checked() -> None:
    first = without(ORDER, 8, 11, "# same")
    assert refusal(ORDER, without(first, 1, 6, "# same")) == "elided"


@pytest.mark.parametrize("end", [3, 4])
def test_a_comment_in_place_of_two_lines_is_refused(end: int) -> None:
    assert refusal(ORDER, without(ORDER, end - 2, end, "# wie gehabt")) == "elided"


def test_an_ellipsis_in_place_of_one_line_is_refused() -> None:
    assert refusal(ORDER, without(ORDER, 10, 11, "# ... mail ...")) == "elided"


def test_a_comment_in_place_of_a_docstring_is_refused() -> None:
    doc = [
        '    """Place an order.',
        "",
        "    Items are taken out of the stock at once.",
        "    Nothing is paid yet.",
        '    """',
    ]
    old = [ORDER[0], *doc, *ORDER[1:]]
    assert refusal(old, [ORDER[0], "    # keep", *ORDER[1:]]) == "elided"


LEGIT = {
    "a loop becomes a comprehension": (
        "names = []\nfor item in items:\n    if item.ok:\n        names.append(item.name)\nreturn names",
        "# Names of the items that are ok.\nreturn [item.name for item in items if item.ok]",
    ),
    "a helper takes lines over": (
        "def run(job):\n    if not job.ready:\n        raise NotReady(job)\n    job.start()\n    return job",
        "def run(job):\n    # Jobs that are not ready raise.\n    require_ready(job)\n    job.start()\n    return job",
    ),
    "guards are merged": (
        "if user is None:\n    return False\nif not user.active:\n    return False\nreturn user.can(action)",
        "# Nobody inactive can do anything.\nif user is None or not user.active:\n    return False\nreturn user.can(action)",
    ),
    "code is commented out": (
        "start()\nprint(state, count)\nlog.write(state)\nstop()",
        "start()\n# print(state, count)\n# log.write(state)\nstop()",
    ),
    "a licence goes above": (
        "import os\nimport sys\nmain()",
        "# Copyright the authors.\n# Licensed under the terms of the licence file.\nimport os\nimport sys\nmain()",
    ),
    "comments are reworded": (
        "# Get the total\ntotal = 0\n# Loop\nfor x in xs:\n    total += x",
        "# Sum what is there.\ntotal = 0\n# One by one, to save memory.\nfor x in xs:\n    total += x",
    ),
    "every line is explained": (
        "a = read()\nb = parse(a)\nwrite(b)",
        "# First\na = read()\n# Then\nb = parse(a)\n# At last\nwrite(b)",
    ),
    "a line goes, with the reason": (
        "connect()\ntime.sleep(1)\nsend(data)",
        "connect()\n# send waits by itself, no need to sleep\nsend(data)",
    ),
    "a default replaces a branch": (
        "if key in table:\n    value = table[key]\nelse:\n    value = None\nreturn value",
        "# A key that is missing gives None.\nreturn table.get(key)",
    ),
    "a context manager replaces try and finally": (
        "f = open(path)\ntry:\n    return f.read()\nfinally:\n    f.close()",
        "# The file is closed in any case.\nwith open(path) as f:\n    return f.read()",
    ),
    "a docstring becomes a comment": (
        'def size(box):\n    """Return the size of a box."""\n    return box.w * box.h',
        "def size(box):\n    # The size of a box.\n    return box.w * box.h",
    ),
    "lines are moved": (
        "check(order)\nreserve(stock)\nbill(customer)\nsend(mail)",
        "bill(customer)\n# Whoever has paid is served first.\ncheck(order)\nreserve(stock)\nsend(mail)",
    ),
    "a stub is new": (
        "class Shape:\n    sides = 0",
        "class Shape:\n    sides = 0\n\n    def area(self) -> float:\n        ...",
    ),
    "lines are deleted without a comment": (
        "a()\nb()\nc()\nd()\ne()",
        "a()\ne()",
    ),
    "an ellipsis is part of new code": (
        "def f(x: tuple) -> None:\n    print(x)",
        "def f(x: tuple[int, ...]) -> None:\n    print(x, 'and so on...')",
    ),
    "a type comment is added": (
        "cache = {}\nseen = set()",
        "cache = {}  # type: dict[str, int]\nseen = set()",
    ),
    "a statement is wrapped": (
        "send(customer.address, invoice.text, copy=True)\ndone()",
        "# Too long for one line.\nsend(\n    customer.address, invoice.text,\n    copy=True,\n)\ndone()",
    ),
    "all is new": ("", "# ...and so it begins\nx = 1\ny = 2"),
}


@pytest.mark.parametrize("case", LEGIT)
def test_a_comment_that_belongs_to_a_change_is_accepted(case: str) -> None:
    old, new = (text.splitlines() for text in LEGIT[case])
    assert refusal(old, new) is None


def test_quotes_in_strings_do_not_hide_a_marker() -> None:
    old = without(ORDER, 1, 2, """quotes = ('"', '\"\"\"')""")
    assert refusal(old, without(old, 3, 8, "# same")) == "elided"


def test_a_marker_of_the_old_text_is_kept() -> None:
    old = without(ORDER, 3, 6, "# ... existing code ...")
    assert refusal(old, without(old, 4, 6, "check(order)")) is None


def test_words_in_brackets_are_accepted_if_the_old_text_has_such_lines() -> None:
    old = ["(define x 1)", "(define y 2)", "(display x)", "(newline now)"]
    assert refusal(old, ["(define x 1)", "(print both now)", "(newline now)"], (";",)) is None


words = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=30).filter(
    str.strip
)


@given(words, st.integers(1, 9), st.integers(3, 8), st.integers(0, 3))
def test_law_three_lines_replaced_by_any_comment_are_refused_in_any_chunks(
    phrase: str, start: int, count: int, seed: int
) -> None:
    new = without(ORDER, start, min(start + count, len(ORDER)), f"# {phrase}")
    assert refusal(ORDER, new, seed=seed) == refusal(ORDER, new) == "elided"


@given(st.lists(st.sampled_from(ORDER), max_size=14))
def test_law_without_a_new_comment_nothing_is_suspected(lines: list[str]) -> None:
    assert refusal(ORDER, [ORDER[0], *lines]) != "elided"


def test_a_list_of_single_words_in_brackets_is_accepted_next_to_new_code() -> None:
    old = ["def f(x):", "    y = fold(x)", "    # back again", "    z = y.T", "    return z"]
    for comment in ("(n, width, height)", "[1, 768]", "(B, H*W, C)"):
        new = [*old[:1], f"    y = fold(x, 2)  # {comment}", *old[2:3], f"    z = y.mT  # {comment}", old[4]]
        assert refusal(old, new) is None, comment
    for comment in ("(unchanged)", "[the rest, as before]", "(lines 2, 3 and 4 omitted)"):
        assert refusal(old, [*old[:1], f"    y = fold(x, 2)  # {comment}", *old[4:]]) == "elided", comment
        assert refusal(ORDER, without(ORDER, 3, 8, f"# {comment}")) == "elided", comment
    assert refusal(ORDER, without(ORDER, 3, 8, "# (stock, order)")) == "elided"
