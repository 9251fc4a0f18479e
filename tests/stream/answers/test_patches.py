"""Answers that are patches are applied exactly or refused."""

from __future__ import annotations

from typing import Any

import pytest

from twospeed.stream import EditStream
from twospeed.stream.answers.evidence import Refusal, Surroundings
from twospeed.stream.answers.patch.patches import opens_patch, patched

ABOVE = ["import os", "", ""]
OLD = [
    "def total(items):",
    "    result = 0",
    "    for item in items:",
    "        result += item.price",
    "    return result",
]
BELOW = [
    "",
    "",
    "def product(items):",
    "    result = 1",
    "    for item in items:",
    "        result *= item.price",
]
BELOW += ["    return result", ""]
NEW = [*OLD[:3], "        result += item.price * item.count", *OLD[4:]]
AROUND = Surroundings(("#",), above=ABOVE, below=BELOW)


def result_of(text: str, old: list[str] = OLD, around: Surroundings = AROUND) -> list[str] | str:
    """Apply a patch; return the new scope, or the code of the refusal."""
    result = patched(text.split("\n"), old, around)
    return result.code if isinstance(result, Refusal) else result.lines


SEARCH, REPLACE = OLD[3], NEW[3]
BLOCK = f"<<<<<<< SEARCH\n{SEARCH}\n=======\n{REPLACE}\n>>>>>>> REPLACE"
ROWS = f"     for item in items:\n-{SEARCH}\n+{REPLACE}\n     return result"
HUNK = f"@@ -6,3 +6,3 @@\n{ROWS}"
DIFF = f"--- a/shop.py\n+++ b/shop.py\n{HUNK}"
ENVELOPE = f"*** Begin Patch\n*** Update File: shop.py\n@@ def total(items):\n{ROWS}\n*** End Patch"


@pytest.mark.parametrize(
    "line",
    [
        "<<<<<<< SEARCH",
        "<<<<<<<",
        "<<<<<< ORIGINAL",
        "------- SEARCH",
        "diff --git a/shop.py b/shop.py",
        "--- a/my shop.py",
        "--- shop.py\t2024-01-01 10:00:00",
        "--- original",
        "@@ -1,2 +1,3 @@",
        "@@",
        "@@ def total(items):",
        "*** Begin Patch",
        "*** Update File: shop.py",
    ],
)
def test_a_patch_is_detected_by_its_opening_line(line: str) -> None:
    assert opens_patch(line)


@pytest.mark.parametrize(
    "line",
    [
        "shop.py",
        "@@count = 0",
        "---",
        "--- Adds two numbers.",
        "x << 3",
        ">>> total([])",
        "=======",
        "",
        "*** note ***",
    ],
)
def test_code_and_prose_do_not_open_a_patch(line: str) -> None:
    assert not opens_patch(line)


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        BLOCK + "\n",
        BLOCK.replace("SEARCH", "ORIGINAL").replace("REPLACE", "UPDATED"),
        BLOCK.replace(" SEARCH", "").replace(" REPLACE", ""),
        BLOCK.replace("<<<<<<<", "<<<<<").replace(">>>>>>>", ">>>>>>>>>").replace("=======", "======"),
        BLOCK.replace("<<<<<<<", "-------").replace(">>>>>>>", "+++++++"),
        BLOCK.replace("<<<<<<< SEARCH", "<<<<<<< SEARCH\n:start_line: 9\n-------"),
        f"{BLOCK}\n```\n\nIt multiplies by the count:\n\n- once\n- for each item\n",
        f"{BLOCK}\n```\n\nAnd nothing here:\n```python\nshop.py\n<<<<<<< SEARCH\nimport os\n=======\nimport os\n>>>>>>> REPLACE\n```",
        DIFF,
        f"diff --git a/shop.py b/shop.py\nindex 01ab..23cd 100644\n{DIFF}",
        f"{DIFF}\n\\ No newline at end of file\n",
        f"{DIFF}\n```\n\nDone:\n- it multiplies\n",
        f"{DIFF}\n\nThis multiplies by the count.",
        DIFF.replace("-6,3 +6,3", "-1,9 +1,2") + "\n```",
        DIFF.replace("-6,3 +6,3", "-1 +1"),
        DIFF.replace(" -6,3 +6,3 @@", ""),
        DIFF.replace("-6,3 +6,3", "..."),
        DIFF.replace("@@ -6,3 +6,3 @@\n", ""),
        HUNK,
        ROWS,
        ENVELOPE,
        ENVELOPE.replace("@@ def total(items):\n", ""),
        ENVELOPE.replace("*** End Patch", "*** End of File\n*** End Patch\n\n- done"),
        ENVELOPE.replace("*** Begin Patch\n", ""),
    ],
)
def test_a_patch_in_each_format_is_applied_exactly(text: str) -> None:
    assert result_of(text) == NEW


def block(search: str, replace: str) -> str:
    return f"<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n"


def hunk(*rows: str) -> str:
    return "\n".join(["--- a/shop.py", "+++ b/shop.py", "@@", *rows])


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("not-code", BLOCK.replace("item.price", "item.cost")),
        ("not-code", block("result += item.pri\n", "x\n")),
        ("ambiguous", block("    return result\n", "    return 0\n")),
        ("ambiguous", block("", "x = 1\n")),
        ("ambiguous", block("\n", "x = 1\n")),
        ("extent", block("import os\n", "import sys\n")),
        (
            "extent",
            block(
                "    return result\n\n\ndef product(items):\n", "    return result\n\n\ndef times(items):\n"
            ),
        ),
        ("truncated", BLOCK.removesuffix("\n>>>>>>> REPLACE")),
        ("ambiguous", BLOCK.replace("=======\n", "")),
        ("ambiguous", BLOCK.replace("=======\n", "=======\nPrice\n=======\n")),
        ("ambiguous", BLOCK.replace("=======\n", "||||||| base\n=======\n")),
        ("not-code", BLOCK + "\n=======\n" + BLOCK),
        ("ambiguous", BLOCK + "\n" + BLOCK.replace("* item.count", "+ 1")),
        (
            "ambiguous",
            block(OLD[0] + "\n" + OLD[1] + "\n", OLD[0] + "\n") + block(OLD[1] + "\n" + OLD[2] + "\n", ""),
        ),
        ("not-code", f"{BLOCK}\n{OLD[0]}\n"),
        ("not-code", f"{BLOCK}\n    limit = 3\n```"),
        ("not-code", f"{BLOCK}\n```\nSo it is:\n```python\nlimit = 3\n```"),
        ("not-code", hunk("-        result += item.cost", "+        pass")),
        ("ambiguous", hunk("-    return result", "+    return 0")),
        ("ambiguous", hunk("+x = 1")),
        ("extent", hunk("-import os", "+import sys")),
        ("extent", f"{DIFF}\n--- a/other.py\n+++ b/other.py\n@@ -1 +1 @@\n-import os\n+import sys"),
        ("extent", "--- /dev/null\n+++ b/shop.py\n@@ -0,0 +1 @@\n+x = 1"),
        ("extent", ENVELOPE.replace("Update", "Add")),
        ("extent", ENVELOPE.replace("@@", "*** Move to: mall.py\n@@", 1)),
        ("truncated", ENVELOPE.removesuffix("\n*** End Patch")),
        ("truncated", "\n".join(DIFF.split("\n")[:-1])),
        ("not-code", "--- a/shop.py\n+++ b/shop.py\n"),
        ("not-code", f"{DIFF}\ndef product(items):\n-    result = 1\n+    result = 2"),
        ("not-code", f"{DIFF}\ndef product(items):\n```"),
        ("not-code", f"{DIFF}\n```\nand\n{DIFF}\n"),
    ],
)
def test_an_uncertain_patch_is_refused(code: str, text: str) -> None:
    assert result_of(text) == code


def test_blocks_may_be_in_any_order_and_may_delete_lines() -> None:
    text = block(f"{SEARCH}\n", f"{REPLACE}\n") + "then\n" + block("    result = 0\n", "")
    assert result_of(text) == [NEW[0], *NEW[2:]]


def test_blocks_may_share_lines_that_neither_changes() -> None:
    text = block(f"{OLD[1]}\n{OLD[2]}\n", f"    result = 5\n{OLD[2]}\n")
    assert result_of(text + block(f"{OLD[2]}\n{OLD[3]}\n", f"{OLD[2]}\n{REPLACE}\n")) == [
        OLD[0],
        "    result = 5",
        *NEW[2:],
    ]


def test_a_block_may_contain_lines_from_outside_the_scope() -> None:
    text = block("import os\n\n\ndef total(items):\n", "import os\n\n\ndef total(goods):\n")
    assert result_of(text) == ["def total(goods):", *OLD[1:]]


def test_a_fence_inside_a_block_is_content() -> None:
    old = ["def f():", '    """', "```", "f()", "```", '    """']
    new = [*old[:3], "f(1)", *old[4:]]
    text = block("\n".join(old) + "\n", "\n".join(new) + "\n")
    assert result_of(f"{text}```\n", old) == new


def test_a_block_without_a_search_fills_an_empty_scope() -> None:
    assert result_of(block("", "x = 1\n"), old=[]) == ["x = 1"]


def test_indentation_lost_by_the_whole_patch_is_restored() -> None:
    lost = [line.removeprefix("    ") for line in (SEARCH, REPLACE, *OLD[4:])]
    assert result_of(block(f"{lost[0]}\n{lost[2]}\n", f"{lost[1]}\n\n{lost[2]}\n")) == [
        *NEW[:4],
        "",
        *NEW[4:],
    ]
    assert result_of(hunk(f"-{lost[0]}", f"+{lost[1]}", f" {lost[2]}")) == NEW


def test_a_patch_with_indentation_lost_by_single_lines_is_refused() -> None:
    assert result_of(block(f"{SEARCH.strip()}\n{OLD[4]}\n", f"{REPLACE.strip()}\n{OLD[4]}\n")) == "not-code"


def test_a_patch_with_a_new_line_of_other_indentation_is_refused() -> None:
    assert result_of(block(f"    {SEARCH}\n", f"    {REPLACE}\nreturn 0\n")) == "indentation"


def test_trailing_white_space_lost_by_the_patch_is_kept() -> None:
    old = [OLD[0], "    ", *OLD[1:3], SEARCH + "  ", *OLD[4:]]
    new = [*old[:2], "    result = 5", *old[3:]]
    lost = "".join(f"{line.rstrip()}\n" for line in old)
    assert result_of(block(lost, lost.replace("= 0", "= 5")), old) == new
    assert result_of(hunk(f" {OLD[0]}", "", "-    result = 0", "+    result = 5", f" {OLD[2]}"), old) == new


def test_a_line_that_is_either_an_old_line_without_white_space_or_new_is_refused() -> None:
    old = [OLD[0], "    ", *OLD[1:]]
    assert result_of(block(f"{OLD[0]}\n\n{OLD[1]}\n", f"{OLD[0]}\n\n{OLD[1]}\n\n"), old) == "indentation"
    assert result_of(block(f"{OLD[0]}\n\n{OLD[1]}\n", f"{OLD[0]}\n{OLD[1]}\n\n"), old) == "indentation"


FAR_APART = Surroundings(("#",), above=["limit = 1", *(f"row_{n}()" for n in range(30))], below=["limit = 1"])


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ("-32 +32", ["limit = 2"]),
        ("-31 +31", "ambiguous"),
        ("-32,2 +32,2", "ambiguous"),
        ("-32 +33", "ambiguous"),
        ("-1 +1", "extent"),
    ],
)
def test_line_numbers_choose_a_place_only_if_all_are_correct(numbers: str, expected: object) -> None:
    around = Surroundings(("#",), FAR_APART.above, below=[""])
    text = f"@@ {numbers} @@\n-limit = 1\n+limit = 2\n```"
    assert result_of(text, ["limit = 1"], around) == expected


def test_line_numbers_do_not_choose_between_near_places() -> None:
    text = "@@ -32 +32 @@\n-limit = 1\n+limit = 2"
    assert result_of(text, ["limit = 1"], FAR_APART) == "ambiguous"


def test_a_hunk_heading_chooses_the_place_below_it() -> None:
    text = ENVELOPE.replace(ROWS, "-    return result\n+    return -result")
    assert result_of(text) == [*OLD[:4], "    return -result"]
    assert result_of(text.replace("total", "product")) == "extent"
    assert result_of(text.replace("total", "sum")) == "ambiguous"


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_byte_order_mark_is_kept(mark: str) -> None:
    text = block(f"{mark}import os\n", f"{mark}import sys\n").replace("\ufeff", "")
    around = Surroundings(("#",), below=BELOW)
    assert result_of(text, [mark + "import os", *OLD], around) == [mark + "import sys", *OLD]
    assert result_of(BLOCK, OLD, Surroundings(("#",), [mark + "import os"], BELOW)) == NEW


@pytest.mark.parametrize("fence", ["", "```"])
def test_a_merge_conflict_inside_the_code_is_refused(fence: str) -> None:
    stream = EditStream(OLD, AROUND)
    stream.receive_text("\n".join([fence, *OLD[:3], BLOCK, *OLD[4:], fence]))
    stream.finish("stop")
    assert stream.refusal
    assert stream.refusal.code == "not-code"


# Costs: at these sizes a quadratic step would not end

MANY = 100_000


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (["x = 1"] * MANY, block("x = 1\n" * (MANY // 2), "")),
        (["x = 1", "y = 2"] * MANY, block("x = 1\ny = 2\n" * (MANY // 2) + "y = 2\n", "")),
        (["x = 1"] * MANY, block("x = 1\n" * (MANY // 2) + "y = 2\n", "")),
        (["x = 1"] * MANY, "\n".join(["@@", "-x = 1", "+y = 2"] * (MANY // 3))),
        (
            [" " * (n % 9) + f"x_{n % (MANY // 60)} = 1" for n in range(MANY)],
            hunk(*(f" x_{n} = 1" for n in range(1600))),
        ),
    ],
)
def test_a_block_of_very_frequent_lines_is_refused_in_time(document: list[str], text: str) -> None:
    assert isinstance(result_of(text, document[10:20], Surroundings((), document[:10], document[20:])), str)


def test_a_patch_of_very_many_blocks_is_applied() -> None:
    old = [f"x_{n} = 1" for n in range(MANY // 5)]
    text = "".join(block(f"{line}\n", f"{line}0\n") for line in old)
    assert result_of(text, old) == [f"{line}0" for line in old]


# Requested blocks


def asked_for(text: str, **more: Any) -> list[str] | str:
    return result_of(text, around=Surroundings(("#",), ABOVE, BELOW, are_blocks_requested=True, **more))


def test_a_requested_block_matches_in_the_scope_if_its_lines_also_occur_elsewhere() -> None:
    text = block("    return result\n", "    return 0\n")
    assert result_of(text) == "ambiguous"
    assert asked_for(text) == [*OLD[:4], "    return 0"]
    assert asked_for(block("    return result\n\n\n", "    return 0\n\n\n")) == [*OLD[:4], "    return 0"]


def test_a_requested_block_is_refused_if_its_lines_repeat_in_the_scope() -> None:
    old = [*OLD, *OLD[2:4]]
    around = Surroundings(("#",), ABOVE, BELOW, are_blocks_requested=True)
    assert result_of(BLOCK, old, around) == "ambiguous"


def test_a_requested_block_changes_nothing_outside_the_scope() -> None:
    assert asked_for(block("import os\n", "import sys\n")) == "extent"
    assert asked_for(block("    result = 1\n", "    result = 2\n")) == "extent"


def test_a_patch_in_an_unrequested_format_matches_in_the_whole_document() -> None:
    assert asked_for(hunk("-    return result", "+    return 0")) == "ambiguous"
    assert asked_for(DIFF) == NEW


def test_a_patch_refers_to_the_lines_in_the_prompt() -> None:
    with_comment = [OLD[0], "    # ai: count the items", *OLD[1:]]
    text = block(f"{OLD[0]}\n{OLD[1]}\n", f"{OLD[0]}\n    result = 5\n")
    assert result_of(text, with_comment) == "not-code"
    shown = Surroundings(("#",), ABOVE, BELOW, prompt_lines=OLD)
    assert result_of(text, with_comment, shown) == [OLD[0], "    result = 5", *OLD[2:]]


@pytest.mark.parametrize("digits", [10, 5_000])
@pytest.mark.parametrize(
    "header", ["@@ -{} +1 @@", "@@ -6,{} +6,3 @@", "@@ -6,3 +{},3 @@", "@@ -6,3 +6,{} @@"]
)
def test_a_hunk_with_a_too_long_line_number_is_refused(header: str, digits: int) -> None:
    assert result_of(f"{header.format('6' * digits)}\n{ROWS}") == "not-code"


def test_blocks_that_overlap_and_agree_are_applied() -> None:
    assert result_of(f"{BLOCK}\n{BLOCK}") == NEW
    whole = block("".join(f"{line}\n" for line in OLD), "".join(f"{line}\n" for line in NEW))
    first = block(f"{OLD[0]}\n{OLD[1]}\n", f"{OLD[0]}\n    result = 5\n")
    for text in (whole + first, first + whole):
        assert result_of(text) == [NEW[0], "    result = 5", *NEW[2:]]
    assert result_of(whole + block(f"{OLD[3]}\n", "        pass\n")) == "ambiguous"


def test_blank_patch_lines_with_spaces_match_empty_document_lines() -> None:
    old = [OLD[0], OLD[1], "", *OLD[2:]]
    text = block(f"{OLD[1]}\n    \n{OLD[2]}\n", f"    result = 5\n    \n    n = 0\n    \n{OLD[2]}\n")
    assert result_of(text, old) == [OLD[0], "    result = 5", "", "    n = 0", "", *OLD[2:]]
