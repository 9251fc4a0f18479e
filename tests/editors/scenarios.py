"""The scenarios that run in every editor; each compares the saved file byte for byte."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from tests.editors.conformance.scenario_run import LIMIT_S, ScenarioRun

SHOP = '''\
"""A shop, with ä and 🙂 in it."""

RATE = 0.2


def total(items, tax=RATE):
    result = 0
    for item in items:
        price = item.price
        result += price
    # the tax comes last
    result *= 1 + tax
    return result


def other():
    return "ä 🙂"
'''
OLD = SHOP[SHOP.index("def total") : SHOP.index("\n\ndef other")]
NEW = '''\
def total(items, tax=RATE):
    """Add up prices, 🙂 or not."""
    result = 0.0
    n_items = 0
    for item in items:
        price = item.price
        if item.is_reduced:
            price *= 0.9
        result += price * item.count
        n_items += item.count
    # the tax comes last
    result *= 1 + tax
    if n_items > 9:
        result -= 1.5
    return round(result, 2)
'''
EDITED = SHOP.replace(OLD, NEW)
IN_TOTAL, COMMENT, IN_OTHER = 6, 10, 16
"""Lines of SHOP, from 0: in `total`, at its comment, and in `other`."""

OTHER_OLD = 'def other():\n    return "ä 🙂"\n'
OTHER_NEW = 'def other():\n    """Smile."""\n    return "ä 🙂🙃"\n'


@dataclass(frozen=True, slots=True)
class Scenario:
    """One scenario.

    Attributes:
        name: The name in the printed table.
        steps: The steps; the last ones compare the saved file.
        content: The content of the file at the start.
        file: The name of this file.
        other_files: Contents of other files, by name.
    """

    name: str
    steps: Callable[[ScenarioRun], Awaitable[None]]
    content: str
    file: str
    other_files: Mapping[str, str] | None


SCENARIOS: list[Scenario] = []
Steps = Callable[[ScenarioRun], Awaitable[None]]


def scenario(
    content: str = SHOP, file: str = "shop.py", other_files: Mapping[str, str] | None = None
) -> Callable[[Steps], Steps]:
    """Add the decorated steps to `SCENARIOS`, under the name of the function."""

    def add(steps: Steps) -> Steps:
        name = getattr(steps, "__name__", "").replace("_", " ").strip()
        SCENARIOS.append(Scenario(name, steps, content, file, other_files))
        return steps

    return add


@scenario()
async def edit_at_the_cursor(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await run.stream(answer, 3)
    await answer.finish()
    await run.finish_and_compare(EDITED)


@scenario()
async def edit_of_a_selection(run: ScenarioRun) -> None:
    answer = run.prepare_answer('RATE = 0.25\n"""Of the price."""\n')
    await run.driver.select_lines(2, 2)
    await run.driver.edit("say what it is")
    await answer.requested(LIMIT_S)
    await answer.finish()
    await run.finish_and_compare(SHOP.replace("RATE = 0.2\n", 'RATE = 0.25\n"""Of the price."""\n'))


@scenario(SHOP.replace("    result = 0\n", "    # ai: count them\n    result = 0\n"))
async def instruction_comment(run: ScenarioRun) -> None:
    answer = run.prepare_answer(NEW)
    await run.driver.put_cursor(IN_TOTAL, 4)
    await run.driver.run_code_action("count them")
    request = await answer.requested(LIMIT_S)
    assert "count them" in str(request.body)
    await answer.finish()
    await run.finish_and_compare(EDITED)


@scenario()
async def toggle(run: ScenarioRun) -> None:
    await run.switch_mode("deep")
    try:
        answer = await run.request_edit(NEW, IN_TOTAL)
        assert run.model.requests[-1].model == "deep"
        await answer.finish()
        await run.finish_and_compare(EDITED)
    finally:
        await run.switch_mode("lightning")


@scenario()
async def mode_and_running_edit_are_shown(run: ScenarioRun) -> None:
    await run.until_mode_line("⚡")
    await run.switch_mode("deep")
    try:
        await run.until_mode_line("🧠")
        answer = await run.request_edit(NEW, IN_TOTAL)
        await run.stream(answer, 3)
        await run.until_mode_line(run.driver.RUNNING)
        await answer.finish()
        await run.finish_and_compare(EDITED)
    finally:
        await run.switch_mode("lightning")
    await run.until_mode_line("⚡")


@scenario()
async def cancel(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await run.stream(answer, 4)
    await run.driver.cancel()
    await answer.disconnected(LIMIT_S)
    await run.finish_and_compare(SHOP)


@scenario()
async def steer(run: ScenarioRun) -> None:
    first = await run.request_edit(NEW.replace("n_items", "count"), IN_TOTAL)
    await run.stream(first, 4)
    second = run.prepare_answer(NEW)
    await run.driver.steer("call it n_items")
    request = await second.requested(LIMIT_S)
    assert "call it n_items" in str(request.body)
    await second.finish()
    await run.finish_and_compare(EDITED)


@scenario()
async def type_above_while_it_streams(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await run.stream(answer, 3)
    await run.driver.put_cursor(0, 0)
    await run.driver.type("# above ä 🙂\n# and ")
    await run.stream(answer, 9)
    await run.driver.type("on\n")
    await answer.finish()
    await run.finish_and_compare(f"# above ä 🙂\n# and on\n{EDITED}")


@scenario()
async def type_below_while_it_streams(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await run.stream(answer, 3)
    await run.type_at_end_of('    return "ä 🙂"', "  # below 🙂")
    await run.stream(answer, 9)
    await run.driver.type(" and\n# on")
    await answer.finish()
    await run.finish_and_compare(
        EDITED.replace('    return "ä 🙂"', '    return "ä 🙂"  # below 🙂 and\n# on')
    )


@scenario()
async def type_inside_while_it_streams(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await run.stream(answer, 3)
    await run.type_at_end_of("    # the tax comes last", "\n    # inside")
    await run.stream(answer, 9)
    await run.driver.type(" 🙂")
    await answer.finish()
    comment = "    # the tax comes last\n"
    await run.finish_and_compare(EDITED.replace(comment, f"{comment}    # inside 🙂\n"))


@scenario()
async def undo_once(run: ScenarioRun) -> None:
    await run.driver.put_cursor(0, 0)
    await run.driver.type("# mine\n")
    answer = await run.request_edit(NEW, IN_TOTAL + 1)
    await run.stream(answer, 3)
    await run.stream(answer, 9)
    await answer.finish()
    await run.until_in_review(f"# mine\n{EDITED}")
    await run.undo_until(f"# mine\n{SHOP}")
    await run.save_and_compare(f"# mine\n{SHOP}")


@scenario()
async def reject(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await answer.finish()
    await run.until_in_review(EDITED)
    await run.driver.reject()
    await run.finish_and_compare(SHOP)


IMPORT = "from decimal import Decimal\n"
WITH_IMPORTS = SHOP.replace("RATE", "import json\n\nRATE", 1)
IN_IMPORTS = WITH_IMPORTS.splitlines().index("import json") + 1
"""The line at which the import is added."""


@scenario(WITH_IMPORTS)
async def import_lands_with_the_edit(run: ScenarioRun) -> None:
    edited = WITH_IMPORTS.replace(OLD, NEW)
    imported = edited.replace("import json\n", f"import json\n{IMPORT}")
    code = f"{IMPORT}\n\n{NEW}"
    answer = await run.request_edit(code, IN_TOTAL + 2)
    await run.stream(answer, 7)
    await answer.finish()
    await run.until_in_review(imported)
    await run.undo_until(WITH_IMPORTS)
    assert run.undo_steps == 1
    await run.driver.redo()
    await run.finish_and_compare(imported)
    if "reject_hunk" in run.driver.UNSUPPORTED:
        return
    await run.undo_until(WITH_IMPORTS)
    again = await run.request_edit(code, IN_TOTAL + 2)
    await again.finish()
    await run.until_in_review(imported)
    await run.driver.put_cursor(IN_IMPORTS, 0)
    await run.driver.reject_hunk()
    await run.finish_and_compare(edited)


HUNK_OLD = "        result += price\n"
HUNK_NEW = """\
        if item.is_reduced:
            price *= 0.9
        result += price * item.count
        n_items += item.count
"""
IN_HUNK = EDITED.splitlines().index("        if item.is_reduced:")


@scenario()
async def reject_one_hunk(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await answer.finish()
    await run.until_in_review(EDITED)
    await run.driver.put_cursor(IN_HUNK, 8)
    await run.driver.reject_hunk()
    await run.finish_and_compare(EDITED.replace(HUNK_NEW, HUNK_OLD))


@scenario()
async def accept_one_hunk(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await answer.finish()
    await run.until_in_review(EDITED)
    await run.driver.put_cursor(IN_HUNK, 8)
    await run.driver.accept_hunk()
    await run.driver.reject()  # the other hunks
    await run.finish_and_compare(SHOP.replace(HUNK_OLD, HUNK_NEW))


N_PLACES = 20
PLACES = "".join(f"def f{number}(a):\n    return a + {number}\n\n\n" for number in range(N_PLACES))
DOUBLED = PLACES.replace("return a", "return 2 * a")


def scope_of(message: str) -> str:
    """Return the text of the scope in the message of a request."""
    return message.split("=== scope, to be rewritten ===")[1].split("\n", 1)[1].split("\n===", maxsplit=1)[0]


def doubled(message: str) -> str:
    """Return the answer that doubles the result of a function of `PLACES`."""
    return f"```python\n{scope_of(message).replace('return a', 'return 2 * a')}\n```\n"


async def _edit_twenty_places(run: ScenarioRun) -> None:
    begun: list[float] = []

    def answer_to(message: str) -> str:
        begun.append(time.monotonic())
        return doubled(message)

    run.model.respond(answer_to)
    n_before = len(run.model.requests)
    await run.driver.edit_places([4 * number for number in range(N_PLACES)], "double it")
    await run.until_in_review(DOUBLED)
    run.edit_ms = 1000 * (time.monotonic() - begun[0])
    assert len(run.model.requests) - n_before == N_PLACES


@scenario(PLACES, "places.py")
async def twenty_places_are_one_undo_step(run: ScenarioRun) -> None:
    await _edit_twenty_places(run)
    await run.undo_until(PLACES)
    assert run.undo_steps == 1
    await run.driver.redo()
    await run.finish_and_compare(DOUBLED)


@scenario(PLACES, "places.py")
async def reject_of_twenty_places(run: ScenarioRun) -> None:
    await _edit_twenty_places(run)
    await run.driver.reject()
    await run.until(lambda text: text == PLACES, "all places are rejected")
    await run.undo_until(DOUBLED)
    assert run.undo_steps == 1
    await run.driver.redo()
    await run.finish_and_compare(PLACES)


@scenario()
async def accept(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await answer.finish()
    await run.until_in_review(EDITED)
    await run.driver.accept()
    await run.driver.reject()  # must change nothing after accept
    await run.finish_and_compare(EDITED)


OTHER_ANSWER = NEW.replace("1.5", "2.5")
EDITED_OTHERWISE = SHOP.replace(OLD, OTHER_ANSWER)


@scenario()
async def follow_up(run: ScenarioRun) -> None:
    answer = await run.request_edit(OTHER_ANSWER, IN_TOTAL)
    await answer.finish()
    await run.until_in_review(EDITED_OTHERWISE)
    second = run.prepare_answer(NEW)
    await run.driver.follow_up("take off less")
    request = await second.requested(LIMIT_S)
    assert "count them" in str(request.body)
    assert "take off less" in str(request.body)
    await second.finish()
    await run.finish_and_compare(EDITED)


@scenario()
async def retry_in_the_other_mode(run: ScenarioRun) -> None:
    answer = await run.request_edit(OTHER_ANSWER, IN_TOTAL)
    await answer.finish()
    await run.until_in_review(EDITED_OTHERWISE)
    second = run.prepare_answer(NEW)
    await run.driver.retry()
    request = await second.requested(LIMIT_S)
    assert request.model == "deep"
    assert "count them" in str(request.body)
    await second.finish()
    await run.finish_and_compare(EDITED)


@scenario()
async def repeat_elsewhere(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await answer.finish()
    await run.until_in_review(EDITED)
    await run.driver.accept()
    second = run.prepare_answer(OTHER_NEW)
    await run.driver.put_cursor(EDITED.splitlines().index("def other():"), 4)
    await run.driver.repeat()
    request = await second.requested(LIMIT_S)
    assert "count them" in str(request.body)
    await second.finish()
    await run.finish_and_compare(EDITED.replace(OTHER_OLD, OTHER_NEW))


@scenario()
async def several_answers(run: ScenarioRun) -> None:
    answers = run.prepare_answer(NEW), run.prepare_answer(OTHER_ANSWER)
    await run.driver.put_cursor(IN_TOTAL, 4)
    await run.driver.edit_for_answers("count them", len(answers))
    for each in answers:
        await each.requested(LIMIT_S)
        await each.finish()
    texts = {EDITED, EDITED_OTHERWISE}
    await run.until(lambda text: text in texts, "the text has one of the answers")
    first = await run.driver.text()
    await run.until_in_review(first)
    await run.driver.next_answer()
    [second] = texts - {first}
    await run.finish_and_compare(second)


@scenario()
async def two_edits_at_once(run: ScenarioRun) -> None:
    first = await run.request_edit(NEW, IN_TOTAL)
    second = await run.request_edit(OTHER_NEW, IN_OTHER, "smile")
    await run.stream(first, 4)
    await second.finish()
    await run.until(lambda text: OTHER_NEW in text, "the second edit is applied")
    await run.stream(first, 9)
    await first.finish()
    await run.finish_and_compare(EDITED.replace(OTHER_OLD, OTHER_NEW))


@scenario(other_files={"notes.py": "# notes\n"})
async def deep_in_the_background(run: ScenarioRun) -> None:
    await run.switch_mode("deep")
    try:
        answer = await run.request_edit(NEW, IN_TOTAL)
        [notes] = run.other_paths
        await run.driver.open(notes)
        await run.driver.put_cursor(0, 7)
        await run.driver.type(" while it thinks")
        await answer.release(6)
        await run.driver.type(", and on")
        await answer.finish()
        await run.driver.open(run.path)
        await run.finish_and_compare(EDITED)
        await run.save_and_compare("# notes while it thinks, and on\n", notes)
    finally:
        await run.switch_mode("lightning")


FAMILY = 'def family():\n    return "👨‍👩‍👧 ä"  # 🙂🙃\n'
FAMILY_NEW = 'def family(count):\n    """Say 👨‍👩‍👧."""\n    return "👨‍👩‍👧 ä" * count  # 🙂🙃\n'


@scenario(f"# 🙂\n\n\n{FAMILY}\n\nLAST = '🏴󠁧󠁢󠁳󠁣󠁴󠁿'\n", "emoji.py")
async def file_of_emoji(run: ScenarioRun) -> None:
    answer = await run.request_edit(FAMILY_NEW, 4)
    await run.stream(answer, 2)
    await run.driver.put_cursor(0, 3)
    await run.driver.type("🏳️‍🌈")
    await answer.finish()
    await run.finish_and_compare(f"# 🙂🏳️‍🌈\n\n\n{FAMILY_NEW}\n\nLAST = '🏴󠁧󠁢󠁳󠁣󠁴󠁿'\n")


@scenario(SHOP.replace("\n", "\r\n"))
async def file_of_dos_lines(run: ScenarioRun) -> None:
    answer = await run.request_edit(NEW, IN_TOTAL)
    await run.stream(answer, 3)
    await run.driver.put_cursor(0, 0)
    await run.driver.type("# above\n")
    await run.stream(answer, 9)
    await answer.finish()
    await run.until_in_review(f"# above\n{EDITED}")
    await run.save_and_compare(f"# above\n{EDITED}".replace("\n", "\r\n"))


@scenario()
async def server_killed_while_it_streams(run: ScenarioRun) -> None:
    await run.driver.put_cursor(0, 0)
    await run.driver.type("# mine\n")
    answer = await run.request_edit(NEW, IN_TOTAL + 1)
    await run.stream(answer, 5)
    run.wire.kill_server()
    await answer.disconnected(LIMIT_S)
    await run.undo_until(f"# mine\n{SHOP}")
    await run.driver.restart_server()
    again = await run.request_edit(NEW, IN_TOTAL + 1)
    await again.finish()
    await run.finish_and_compare(f"# mine\n{EDITED}")
