"""What people do with twospeed, written once for every editor, each ending with a file that is right to the byte."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from tests.editors.conformance.stage import LIMIT_S, Stage

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
"""Lines of the shop: two in functions, and one that the answer leaves as it is."""

OTHER_OLD = 'def other():\n    return "ä 🙂"\n'
OTHER_NEW = 'def other():\n    """Smile."""\n    return "ä 🙂🙃"\n'


@dataclass(frozen=True, slots=True)
class Journey:
    """One of them.

    Attributes:
        name: As the table has it.
        content: Of the file it begins with.
        file: Its name.
        beside: Contents of other files, by name.
    """

    name: str
    run: Callable[[Stage], Awaitable[None]]
    content: str
    file: str
    beside: Mapping[str, str] | None


JOURNEYS: list[Journey] = []
Run = Callable[[Stage], Awaitable[None]]


def journey(
    content: str = SHOP, file: str = "shop.py", beside: Mapping[str, str] | None = None
) -> Callable[[Run], Run]:
    """Add a journey to the list; its name is the function's."""

    def add(run: Run) -> Run:
        name = getattr(run, "__name__", "").replace("_", " ").strip()
        JOURNEYS.append(Journey(name, run, content, file, beside))
        return run

    return add


@journey()
async def edit_at_the_cursor(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await it.stream(answer, 3)
    await answer.finish()
    await it.saved_after(EDITED)


@journey()
async def edit_of_a_selection(it: Stage) -> None:
    answer = it.answers('RATE = 0.25\n"""Of the price."""\n')
    await it.driver.select_lines(2, 2)
    await it.driver.edit("say what it is")
    await answer.asked(LIMIT_S)
    await answer.finish()
    await it.saved_after(SHOP.replace("RATE = 0.2\n", 'RATE = 0.25\n"""Of the price."""\n'))


@journey(SHOP.replace("    result = 0\n", "    # ai: count them\n    result = 0\n"))
async def instruction_comment(it: Stage) -> None:
    answer = it.answers(NEW)
    await it.driver.put_cursor(IN_TOTAL, 4)
    await it.driver.take_action("count them")
    request = await answer.asked(LIMIT_S)
    assert "count them" in str(request.body)
    await answer.finish()
    await it.saved_after(EDITED)


@journey()
async def toggle(it: Stage) -> None:
    await it.changes_mode("deep")
    try:
        answer = await it.ask(NEW, IN_TOTAL)
        assert it.model.requests[-1].model == "deep"
        await answer.finish()
        await it.saved_after(EDITED)
    finally:
        await it.changes_mode("lightning")


@journey()
async def mode_and_running_edit_are_shown(it: Stage) -> None:
    await it.shows("⚡")
    await it.changes_mode("deep")
    try:
        await it.shows("🧠")
        answer = await it.ask(NEW, IN_TOTAL)
        await it.stream(answer, 3)
        await it.shows(it.driver.RUNNING)
        await answer.finish()
        await it.saved_after(EDITED)
    finally:
        await it.changes_mode("lightning")
    await it.shows("⚡")


@journey()
async def cancel(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await it.stream(answer, 4)
    await it.driver.cancel()
    await answer.left(LIMIT_S)
    await it.saved_after(SHOP)


@journey()
async def steer(it: Stage) -> None:
    first = await it.ask(NEW.replace("n_items", "count"), IN_TOTAL)
    await it.stream(first, 4)
    second = it.answers(NEW)
    await it.driver.steer("call it n_items")
    request = await second.asked(LIMIT_S)
    assert "call it n_items" in str(request.body)
    await second.finish()
    await it.saved_after(EDITED)


@journey()
async def type_above_while_it_streams(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await it.stream(answer, 3)
    await it.driver.put_cursor(0, 0)
    await it.driver.type("# above ä 🙂\n# and ")
    await it.stream(answer, 9)
    await it.driver.type("on\n")
    await answer.finish()
    await it.saved_after(f"# above ä 🙂\n# and on\n{EDITED}")


@journey()
async def type_below_while_it_streams(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await it.stream(answer, 3)
    await it.type_at_end_of('    return "ä 🙂"', "  # below 🙂")
    await it.stream(answer, 9)
    await it.driver.type(" and\n# on")
    await answer.finish()
    await it.saved_after(EDITED.replace('    return "ä 🙂"', '    return "ä 🙂"  # below 🙂 and\n# on'))


@journey()
async def type_inside_while_it_streams(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await it.stream(answer, 3)
    await it.type_at_end_of("    # the tax comes last", "\n    # inside")
    await it.stream(answer, 9)
    await it.driver.type(" 🙂")
    await answer.finish()
    comment = "    # the tax comes last\n"
    await it.saved_after(EDITED.replace(comment, f"{comment}    # inside 🙂\n"))


@journey()
async def undo_once(it: Stage) -> None:
    await it.driver.put_cursor(0, 0)
    await it.driver.type("# mine\n")
    answer = await it.ask(NEW, IN_TOTAL + 1)
    await it.stream(answer, 3)
    await it.stream(answer, 9)
    await answer.finish()
    await it.is_in_review(f"# mine\n{EDITED}")
    await it.undone_to(f"# mine\n{SHOP}")
    await it.saved_as(f"# mine\n{SHOP}")


@journey()
async def reject(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await answer.finish()
    await it.is_in_review(EDITED)
    await it.driver.reject()
    await it.saved_after(SHOP)


HUNK_OLD = "        result += price\n"
HUNK_NEW = """\
        if item.is_reduced:
            price *= 0.9
        result += price * item.count
        n_items += item.count
"""
IN_HUNK = EDITED.splitlines().index("        if item.is_reduced:")


@journey()
async def reject_one_hunk(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await answer.finish()
    await it.is_in_review(EDITED)
    await it.driver.put_cursor(IN_HUNK, 8)
    await it.driver.reject_hunk()
    await it.saved_after(EDITED.replace(HUNK_NEW, HUNK_OLD))


@journey()
async def accept_one_hunk(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await answer.finish()
    await it.is_in_review(EDITED)
    await it.driver.put_cursor(IN_HUNK, 8)
    await it.driver.accept_hunk()
    await it.driver.reject()  # the others
    await it.saved_after(SHOP.replace(HUNK_OLD, HUNK_NEW))


@journey()
async def accept(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await answer.finish()
    await it.is_in_review(EDITED)
    await it.driver.accept()
    await it.driver.reject()  # there is nothing to reject any more
    await it.saved_after(EDITED)


OTHER_ANSWER = NEW.replace("1.5", "2.5")
EDITED_OTHERWISE = SHOP.replace(OLD, OTHER_ANSWER)


@journey()
async def follow_up(it: Stage) -> None:
    answer = await it.ask(OTHER_ANSWER, IN_TOTAL)
    await answer.finish()
    await it.is_in_review(EDITED_OTHERWISE)
    second = it.answers(NEW)
    await it.driver.follow_up("take off less")
    request = await second.asked(LIMIT_S)
    assert "count them" in str(request.body)
    assert "take off less" in str(request.body)
    await second.finish()
    await it.saved_after(EDITED)


@journey()
async def retry_in_the_other_mode(it: Stage) -> None:
    answer = await it.ask(OTHER_ANSWER, IN_TOTAL)
    await answer.finish()
    await it.is_in_review(EDITED_OTHERWISE)
    second = it.answers(NEW)
    await it.driver.retry()
    request = await second.asked(LIMIT_S)
    assert request.model == "deep"
    assert "count them" in str(request.body)
    await second.finish()
    await it.saved_after(EDITED)


@journey()
async def repeat_elsewhere(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await answer.finish()
    await it.is_in_review(EDITED)
    await it.driver.accept()
    second = it.answers(OTHER_NEW)
    await it.driver.put_cursor(EDITED.splitlines().index("def other():"), 4)
    await it.driver.repeat()
    request = await second.asked(LIMIT_S)
    assert "count them" in str(request.body)
    await second.finish()
    await it.saved_after(EDITED.replace(OTHER_OLD, OTHER_NEW))


@journey()
async def several_answers(it: Stage) -> None:
    answers = it.answers(NEW), it.answers(OTHER_ANSWER)
    await it.driver.put_cursor(IN_TOTAL, 4)
    await it.driver.edit_for_answers("count them", len(answers))
    for each in answers:
        await each.asked(LIMIT_S)
        await each.finish()
    texts = {EDITED, EDITED_OTHERWISE}
    await it.until(lambda text: text in texts, "one of the answers is there")
    first = await it.driver.text()
    await it.is_in_review(first)
    await it.driver.next_answer()
    [second] = texts - {first}
    await it.saved_after(second)


@journey()
async def two_edits_at_once(it: Stage) -> None:
    first = await it.ask(NEW, IN_TOTAL)
    second = await it.ask(OTHER_NEW, IN_OTHER, "smile")
    await it.stream(first, 4)
    await second.finish()
    await it.until(lambda text: OTHER_NEW in text, "the second edit is there")
    await it.stream(first, 9)
    await first.finish()
    await it.saved_after(EDITED.replace(OTHER_OLD, OTHER_NEW))


@journey(beside={"notes.py": "# notes\n"})
async def deep_in_the_background(it: Stage) -> None:
    await it.changes_mode("deep")
    try:
        answer = await it.ask(NEW, IN_TOTAL)
        [notes] = it.beside
        await it.driver.open(notes)
        await it.driver.put_cursor(0, 7)
        await it.driver.type(" while it thinks")
        await answer.say(6)
        await it.driver.type(", and on")
        await answer.finish()
        await it.driver.open(it.path)
        await it.saved_after(EDITED)
        await it.saved_as("# notes while it thinks, and on\n", notes)
    finally:
        await it.changes_mode("lightning")


FAMILY = 'def family():\n    return "👨‍👩‍👧 ä"  # 🙂🙃\n'
FAMILY_NEW = 'def family(count):\n    """Say 👨‍👩‍👧."""\n    return "👨‍👩‍👧 ä" * count  # 🙂🙃\n'


@journey(f"# 🙂\n\n\n{FAMILY}\n\nLAST = '🏴󠁧󠁢󠁳󠁣󠁴󠁿'\n", "emoji.py")
async def file_of_emoji(it: Stage) -> None:
    answer = await it.ask(FAMILY_NEW, 4)
    await it.stream(answer, 2)
    await it.driver.put_cursor(0, 3)
    await it.driver.type("🏳️‍🌈")
    await answer.finish()
    await it.saved_after(f"# 🙂🏳️‍🌈\n\n\n{FAMILY_NEW}\n\nLAST = '🏴󠁧󠁢󠁳󠁣󠁴󠁿'\n")


@journey(SHOP.replace("\n", "\r\n"))
async def file_of_dos_lines(it: Stage) -> None:
    answer = await it.ask(NEW, IN_TOTAL)
    await it.stream(answer, 3)
    await it.driver.put_cursor(0, 0)
    await it.driver.type("# above\n")
    await it.stream(answer, 9)
    await answer.finish()
    await it.is_in_review(f"# above\n{EDITED}")
    await it.saved_as(f"# above\n{EDITED}".replace("\n", "\r\n"))


@journey()
async def server_killed_while_it_streams(it: Stage) -> None:
    await it.driver.put_cursor(0, 0)
    await it.driver.type("# mine\n")
    answer = await it.ask(NEW, IN_TOTAL + 1)
    await it.stream(answer, 5)
    it.wire.kill_server()
    await answer.left(LIMIT_S)
    await it.undone_to(f"# mine\n{SHOP}")
    await it.driver.restart_server()
    again = await it.ask(NEW, IN_TOTAL + 1)
    await again.finish()
    await it.saved_after(f"# mine\n{EDITED}")
