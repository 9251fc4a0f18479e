"""No secret of a file is in a request, and each is restored at its place."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.scenarios.editor import STREAMING, URI, Editor, RequestFailed, place_range
from tests.security.key_formats import CANARIES, heart_of

from twospeed.testing.script import Hang, Script
from twospeed.testing.scripted_server import RecordedRequest, ScriptedServer

CONFIG = """
[[lanes.lightning]]
provider = "lab"
model = "m"
{limits}
[[lanes.deep]]
provider = "lab"
model = "m"
[providers.lab]
api = "{api}"
base_url = "{url}"
{more}
"""


@asynccontextmanager
async def editor_at(
    folder: Path,
    answer: Callable[[RecordedRequest], Script],
    *,
    api: str = "chat",
    limits: str = "",
    more: str = "",
    environ: dict[str, str] | None = None,
) -> AsyncIterator[tuple[Editor, ScriptedServer]]:
    config = folder / "config.toml"
    async with ScriptedServer(answer) as server:
        config.write_text(CONFIG.format(api=api, url=server.base_url, limits=limits, more=more))
        environ = {"TWOSPEED_CONFIG": str(config), **(environ or {})}
        async with await Editor.started(STREAMING, environ=environ) as editor:
            yield editor, server


def prompt_of(request: RecordedRequest) -> str:
    """Return the user's message, for any protocol."""
    messages: Any = request.body.get("input") or request.body["messages"]
    content = messages[-1]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def scope_in(request: RecordedRequest) -> str:
    """Return the lines to rewrite, as the model receives them."""
    return (
        prompt_of(request)
        .partition("=== scope, to be rewritten === ")[2]
        .partition("\n")[2]
        .partition("\n===")[0]
    )


def repeats(request: RecordedRequest) -> Script:
    """Answer with the scope and one more line after its first."""
    first, _, rest = scope_in(request).partition("\n")
    return Script(f"{first}\n    audited = True\n{rest}\n", seed=len(rest))


def sent(requests: Sequence[RecordedRequest]) -> str:
    return "".join(orjson.dumps(each.body).decode() + str(each.headers) + each.path for each in requests)


def document(above: str, inside: str, below: str, outline: str) -> str:
    """Return a file with a secret in four places; that of the outline is far from the scope."""
    far = "".join(f"# line {number} of a long file\n" for number in range(120))
    return (
        f"def far_away(token={outline!r}):\n    pass\n\n\n{far}\n"
        f'above = """\n{above}\n"""\n\n\n'
        f'def charge(order):\n    secret = """\n{inside}\n"""\n    return order\n\n\n'
        f'below = """\n{below}\n"""\n'
    )


def in_name(canary: str) -> str:
    return canary.replace("/", "-").replace("\n", "-")


@pytest.mark.security("R4.2")
@pytest.mark.parametrize(
    ("api", "limits", "step"),
    [("chat", "", 1), ("chat", "context_tokens = 1000", 2), ("responses", "", 3), ("messages", "", 3)],
)
async def test_no_secret_is_sent_and_each_is_restored(
    tmp_path: Path, api: str, limits: str, step: int
) -> None:
    """Each kind of secret is in each place of some edit; with little space, the outline is one."""
    canaries = list(CANARIES.values())
    async with editor_at(tmp_path, repeats, api=api, limits=limits) as (editor, server):
        for number in range(0, len(canaries), step):
            above, inside, below, outline, words, report, name = (
                canaries[(number + place * 5) % len(canaries)] for place in range(7)
            )
            text = document(above, inside, below, outline)
            uri = f"file:///project/{in_name(name).partition('://')[2] or in_name(name)}.py"
            buffer = editor.open(text, uri=uri)
            line = text[: text.index("def charge")].count("\n")
            where = place_range(line, 0, line, 5)
            result = await editor.edit(
                line,
                f"audit this, with {words}",
                uri=uri,
                context={"diagnostics": [{"range": where, "message": f"hard-coded: {report}"}]},
            )
            assert result["outcome"] == "applied", (result["reason"], inside)
            assert buffer.text == text.replace("(order):\n", "(order):\n    audited = True\n")
            captured = sent(server.requests)
            assert "far_away" in captured
            assert ("line 1 of a long file" in captured) == (not limits)
            for canary in (above, inside, below, outline, words, report):
                assert not any(line in captured for line in heart_of(canary)), canary
            server.requests.clear()


@pytest.mark.security("R4.2")
async def test_no_secret_is_sent_in_a_file_name(tmp_path: Path) -> None:
    async with editor_at(tmp_path, repeats) as (editor, server):
        for canary in CANARIES.values():
            if "/" in canary or "\n" in canary or "%" in canary:
                continue
            editor.open("def charge(order):\n    return order\n", uri=f"file:///project/{canary}")
            await editor.edit(0, uri=f"file:///project/{canary}")
            assert not any(line in sent(server.requests) for line in heart_of(canary)), canary
        assert len(server.requests) > 30


async def test_a_local_server_may_receive_secrets(tmp_path: Path) -> None:
    """This also proves that the tests above would detect a secret."""
    text = document(*list(CANARIES.values())[:4])
    async with editor_at(tmp_path, repeats, more="hide_secrets = false") as (editor, server):
        editor.open(text)
        line = text[: text.index("def charge")].count("\n")
        assert (await editor.edit(line))["outcome"] == "applied"
        captured = sent(server.requests)
        assert all(heart_of(canary)[0] in captured for canary in list(CANARIES.values())[:4])
        assert "TS_SECRET" not in captured


KEY = CANARIES["github"]
TOKEN = CANARIES["gitlab"]
TEXT = f"""def connect(host):
    user = "shop"
    key = "{KEY}"
    return open_line(host, user, key)
"""
PLACEHOLDER = re.compile(r"TS_SECRET_1_[0-9a-f]{8}")


def answering(change: Callable[[str], str]) -> Callable[[RecordedRequest], Script]:
    return lambda request: Script(change(scope_in(request)) + "\n")


def with_placeholder(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda scope: PLACEHOLDER.sub(lambda match: change(match[0]), scope)


HARMLESS = {
    "renamed around it": (
        lambda scope: scope.replace("user", "name"),
        TEXT.replace("user", "name"),
    ),
    "moved": (
        lambda scope: scope.replace("def connect(host)", "def connect(host, key=KEY)").replace(
            "    key =", "    # was"
        ),
        TEXT.replace("def connect(host)", "def connect(host, key=KEY)").replace("    key =", "    # was"),
    ),
    "twice": (
        lambda scope: scope.replace("    return", scope.splitlines()[2] + "\n    return"),
        TEXT.replace("    return", f'    key = "{KEY}"\n    return'),
    ),
    "in a fence": (
        lambda scope: f"```python\n{scope.replace('user', 'name')}\n```",
        TEXT.replace("user", "name"),
    ),
}


@pytest.mark.security("R4.2")
@pytest.mark.parametrize("name", HARMLESS)
async def test_a_secret_is_restored_at_its_placeholder(tmp_path: Path, name: str) -> None:
    change, expected = HARMLESS[name]
    async with editor_at(tmp_path, answering(change)) as (editor, _):
        buffer = editor.open(TEXT)
        result = await editor.edit(1)
        assert (result["outcome"], buffer.text) == ("applied", expected), result["reason"]
        assert "TS_SECRET" not in str(editor.notifications) + str(editor.requests)


REFUSED = {
    "the line left out": lambda scope: "\n".join(line for line in scope.splitlines() if "SECRET" not in line),
    "another value": with_placeholder(lambda _: "x"),
    "emptied": with_placeholder(lambda _: ""),
    "masked": with_placeholder(lambda _: "***"),
    "another number": with_placeholder(lambda word: word.replace("_1_", "_2_")),
    "no word": with_placeholder(lambda word: word[:11]),
    "another word": with_placeholder(lambda word: word[:-1] + ("0" if word[-1] != "0" else "1")),
    "small letters": with_placeholder(str.lower),
    "more behind it": with_placeholder(lambda word: word + "9"),
    "more before it": with_placeholder(lambda word: "X" + word),
    "escaped": with_placeholder(lambda word: word.replace("_", "\\_")),
    "encoded": with_placeholder(lambda word: word.replace("_", "%5F")),
    "cut in two": with_placeholder(lambda word: word[:9] + '" "' + word[9:]),
    "one right, one wrong": with_placeholder(lambda word: f"{word} {word[:-2]}"),
}


@pytest.mark.security("R4.2")
@pytest.mark.parametrize("name", REFUSED)
async def test_an_answer_that_alters_or_omits_a_secret_is_refused(tmp_path: Path, name: str) -> None:
    async with editor_at(tmp_path, answering(REFUSED[name])) as (editor, _):
        buffer = editor.open(TEXT)
        result = await editor.edit(1)
        assert (result["outcome"], result["reason"]["code"]) == ("refused", "secret")
        assert "secret" in result["reason"]["message"]
        assert buffer.text == TEXT


async def test_one_of_two_occurrences_of_a_secret_may_be_removed(tmp_path: Path) -> None:
    text = TEXT.replace("    return", f'    again = "{KEY}"\n    return')
    async with editor_at(
        tmp_path,
        answering(lambda scope: "\n".join(line for line in scope.splitlines() if "again" not in line)),
    ) as (editor, _):
        buffer = editor.open(text)
        assert (await editor.edit(1))["outcome"] == "applied"
        assert buffer.text == TEXT


@pytest.mark.security("R4.2")
async def test_a_secret_of_the_instruction_can_be_inserted(tmp_path: Path) -> None:
    def answer(request: RecordedRequest) -> Script:
        given = re.findall(
            r"TS_SECRET_[0-9]+_[0-9a-f]{8}", prompt_of(request).rpartition("The instruction:")[2]
        )
        return Script(scope_in(request).replace('user = "shop"', f'user = "{given[0]}"') + "\n")

    async with editor_at(tmp_path, answer) as (editor, server):
        buffer = editor.open(TEXT)
        result = await editor.edit(1, f"the user is {TOKEN}")
        assert (result["outcome"], buffer.text) == ("applied", TEXT.replace('"shop"', f'"{TOKEN}"'))
        assert TOKEN not in sent(server.requests)


@pytest.mark.security("R4.2")
async def test_an_answer_may_omit_a_secret_of_the_instruction(tmp_path: Path) -> None:
    async with editor_at(tmp_path, answering(lambda scope: scope.replace("user", "name"))) as (editor, _):
        editor.open(TEXT)
        assert (await editor.edit(1, f"is {TOKEN} in use?"))["outcome"] == "applied"


@pytest.mark.security("R4.2")
async def test_the_draft_of_a_steered_answer_has_no_secret(tmp_path: Path) -> None:
    def answer(request: RecordedRequest) -> Script:
        if len(server.requests) > 1:
            return repeats(request)
        text = scope_in(request).replace("user", "name")
        return Script(text, faults=(Hang(len(Script(text).pieces_of(text)) - 2),))

    async with editor_at(tmp_path, answer) as (editor, server):
        buffer = editor.open(TEXT)
        request = asyncio.ensure_future(editor.request("twospeed/edit", editor.edit_params(1, editId="c1")))
        await editor.wait_for(lambda: buffer.version > 1)
        await editor.request("twospeed/steer", {"editId": "c1", "instruction": f"better use {TOKEN}"})
        assert (await request)["outcome"] == "applied"
        assert KEY in buffer.text
        assert len(server.requests) == 2
        assert KEY not in sent(server.requests)
        assert TOKEN not in sent(server.requests)


@pytest.mark.security("R4.2")
async def test_other_answers_restore_the_secret(tmp_path: Path) -> None:
    answers = iter(["audited", "checked"])

    def answer(request: RecordedRequest) -> Script:
        return Script(scope_in(request).replace("user", next(answers)) + "\n")

    async with editor_at(tmp_path, answer) as (editor, server):
        buffer = editor.open(TEXT)
        result = await editor.edit(1, variations=2)
        first = buffer.text
        await editor.request("twospeed/variation", {"editId": result["editId"], "step": 1})
        assert {first, buffer.text} == {TEXT.replace("user", "audited"), TEXT.replace("user", "checked")}
        assert KEY not in sent(server.requests)


@pytest.mark.security("R4.2")
async def test_predictions_and_warm_up_requests_have_no_secret(tmp_path: Path) -> None:
    text = document(KEY, TOKEN, KEY, TOKEN) + "# more\n" * 2000
    async with editor_at(tmp_path, repeats, more="prediction = true") as (editor, server):
        editor.open(text)
        line = text[: text.index("def charge")].count("\n")
        where = place_range(line, 0, line, 0)
        await editor.request("twospeed/prepare", {"textDocument": {"uri": URI, "version": 1}, "range": where})
        assert (await editor.edit(line))["outcome"] == "applied"
        assert any("prediction" in request.body for request in server.requests)
        assert KEY not in sent(server.requests)
        assert TOKEN not in sent(server.requests)


@pytest.mark.security("R4.3")
async def test_the_shown_prompt_equals_the_sent_one(tmp_path: Path) -> None:
    async with editor_at(tmp_path, repeats) as (editor, server):
        editor.open(document(KEY, TOKEN, KEY, TOKEN))
        where = place_range(127, 0, 127, 0)
        arguments = {"uri": URI, "range": where, "instruction": f"use {TOKEN}"}
        shown = await editor.command("twospeed.showPrompt", arguments)
        assert not server.requests
        await editor.edit(127, f"use {TOKEN}")
        words = re.compile(r"(TS_SECRET_[0-9]+_)[0-9a-f]{8}")
        (request,) = server.requests
        contents = [message["content"] for message in shown["messages"]]
        assert words.sub(r"\1", contents[-1]) == words.sub(r"\1", prompt_of(request))
        assert len(words.findall(contents[-1])) == 2
        assert KEY not in str(shown)


OWN_KEY = "lab-0123-own-key-of-no-known-shape"


@pytest.mark.security("R4.2")
@pytest.mark.parametrize("place", ["scope", "around", "instruction"])
async def test_the_users_own_key_is_never_sent(tmp_path: Path, place: str) -> None:
    key, environ = 'api_key_env = "LAB_API_KEY"', {"LAB_API_KEY": OWN_KEY}
    text = {"scope": TEXT.replace("shop", OWN_KEY), "around": f"{TEXT}\n\nX = '{OWN_KEY}'\n"}.get(place, TEXT)
    instruction = f"use {OWN_KEY}" if place == "instruction" else "audit"
    async with editor_at(tmp_path, repeats, more=key, environ=environ) as (editor, server):
        buffer = editor.open(text)
        result = await editor.edit(1, instruction)
        assert (result["outcome"], result["reason"]["code"]) == ("refused", "secret")
        assert "LAB_API_KEY" in result["reason"]["message"]
        assert OWN_KEY not in result["reason"]["message"] + str(editor.messages("window/showMessage"))
        assert not server.requests
        assert buffer.text == text
        with pytest.raises(RequestFailed, match="LAB_API_KEY"):
            await editor.command(
                "twospeed.showPrompt",
                {"uri": URI, "range": place_range(1, 0, 1, 0), "instruction": instruction},
            )


async def test_a_key_far_from_the_scope_does_not_block_the_edit(tmp_path: Path) -> None:
    key, environ = 'api_key_env = "LAB_API_KEY"', {"LAB_API_KEY": OWN_KEY}
    text = TEXT + "\n\n# more\n" * 5000 + f"# {OWN_KEY}\n"
    async with editor_at(tmp_path, repeats, more=key, environ=environ) as (editor, server):
        editor.open(text)
        result = await editor.edit(1)
        assert result["outcome"] == "applied", result["reason"]
        assert OWN_KEY not in str(server.requests[0].body)
