"""Every request is answered once, and no message of a client stops the server."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.scenarios.editor import LITERALS, STREAMING, URI, Editor, RequestFailed, place_range

from twospeed.testing.scripted_model import ScriptedModel, scripted_answer

TEXT = "def f(a):\n    return a\n"


async def test_initialize_announces_exactly_the_implemented_features() -> None:
    async with await Editor.started() as editor:
        capabilities = editor.initialized["capabilities"]
        ours = capabilities["experimental"]["twospeed"]
        assert (ours["protocol"], ours["modes"]) == (1, ["lightning", "deep"])
        assert "steer" in ours["features"]
        assert "review" in ours["features"]
        assert capabilities["textDocumentSync"]["change"] == 2
        assert capabilities["textDocumentSync"]["openClose"] is True
        assert capabilities["codeActionProvider"]["codeActionKinds"] == [
            "refactor.rewrite.twospeed",
            "quickfix.twospeed",
        ]
        assert "twospeed.edit" in capabilities["executeCommandProvider"]["commands"]
        assert editor.initialized["serverInfo"]["name"] == "twospeed"


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        (["utf-8", "utf-16"], "utf-16"),
        (["utf-8"], "utf-8"),
        (["utf-32", "utf-8"], "utf-8"),
        (["utf-32"], "utf-32"),
        (["klingon"], "utf-16"),
    ],
)
async def test_utf_16_is_chosen_wherever_it_is_offered(offered: list[str] | None, chosen: str) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    async with await Editor.started(general) as editor:
        assert editor.initialized["capabilities"]["positionEncoding"] == chosen


@pytest.mark.parametrize("offered", [None, ["utf-32", "utf-16"], ["utf-32", "utf-8", "utf-16"]])
async def test_lsp_mode_gets_code_points_for_any_offered_encoding(offered: list[str] | None) -> None:
    general = {} if offered is None else {"general": {"positionEncodings": offered}}
    async with await Editor.started(general, name="emacs") as editor:
        editor.open('SMILE = "🙂"\n')
        editor.serve(ScriptedModel(scripted_answer('SMILE = "🙂🙃"  # wide\n')))
        result = await editor.edit(0, deliver="preview")
        [[edit]] = [each["edits"] for each in result["edit"]["documentChanges"]]
        assert edit == {"range": place_range(0, 10, 0, 11), "newText": '🙃"  # wide'}


@pytest.mark.parametrize(
    ("change", "code", "names"),
    [
        ({"textDocument": {"uri": URI, "version": 9}}, -32801, "version 1"),
        ({"textDocument": {"uri": "file:///other.py", "version": 1}}, -32803, "not open"),
        ({"textDocument": {"uri": URI}}, -32602, "textDocument.version"),
        ({"instruction": "  "}, -32602, "instruction"),
        ({"mode": "warp"}, -32602, "mode"),
        ({"scope": "galaxy"}, -32602, "scope"),
        ({"surprise": 1}, -32602, "surprise"),
        ({"range": place_range(99, 0, 99, 0)}, -32602, "range.start.line"),
        ({"scope": "class"}, -32602, "scope"),
        ({"variations": 2, "deliver": "preview"}, -32602, "variations"),
        ({"follows": "e99"}, -32803, "e99"),
    ],
)
async def test_an_invalid_edit_request_gets_an_error_that_names_the_fault(
    change: dict, code: int, names: str
) -> None:
    async with await Editor.started() as editor:
        editor.open(TEXT)
        with pytest.raises(RequestFailed) as caught:
            await editor.request("twospeed/edit", {**editor.edit_params(0), **change})
        assert caught.value.code == code
        assert names in caught.value.message
        assert (await editor.request("twospeed/status", {}))["edits"] == []


@pytest.mark.parametrize(
    "method", ["twospeed/edit", "twospeed/cancel", "twospeed/setMode", "textDocument/codeAction"]
)
@pytest.mark.parametrize("params", [None, [], 5, "x", {"jsonrpc": "2.0", "textDocument": {"jsonrpc": 1}}])
async def test_malformed_params_get_invalid_params(method: str, params: object) -> None:
    async with await Editor.started() as editor:
        if method == "twospeed/setMode" and params is None:
            return
        with pytest.raises(RequestFailed) as caught:
            await editor.request(method, params)
        assert caught.value.code == -32602


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("twospeed/unknown", {}, -32601),
        ("twospeed/cancel", {"editId": "e9"}, -32803),
        ("twospeed/decide", {"editId": "e9", "action": "accept"}, -32803),
        ("twospeed/steer", {"editId": "e9", "instruction": "x"}, -32803),
        ("twospeed/variation", {"editId": "e9", "step": 1}, -32803),
        ("workspace/executeCommand", {"command": "twospeed.fly"}, -32602),
        ("workspace/executeCommand", {"command": "twospeed.edit", "arguments": []}, -32602),
        ("workspace/executeCommand", {"command": "twospeed.cancel", "arguments": ["e9"]}, -32803),
        ("workspace/executeCommand", {"command": "twospeed.review"}, -32803),
        ("twospeed/variation", {"editId": "e9", "step": True}, -32602),
        ("twospeed/variation", {"editId": "e9", "step": 1.0}, -32602),
    ],
)
async def test_impossible_requests_get_an_error(method: str, params: dict, code: int) -> None:
    async with await Editor.started() as editor:
        with pytest.raises(RequestFailed) as caught:
            await editor.request(method, params)
        assert caught.value.code == code


@pytest.mark.parametrize("command", ["cancel", "accept", "reject", "nextVariation", "review", "retry"])
async def test_a_command_accepts_null_for_the_newest_edit_and_names_a_wrong_argument(command: str) -> None:
    async with await Editor.started() as editor:
        for newest in ((), (None,)):
            with pytest.raises(RequestFailed, match="-32803: there is no edit to act on"):
                await editor.command(f"twospeed.{command}", *newest)
        for wrong in (5, True, ["e1"]):
            with pytest.raises(RequestFailed, match=r"-32602: arguments\.0: "):
                await editor.command(f"twospeed.{command}", wrong)


async def test_requests_before_initialize_are_refused() -> None:
    async with await Editor.started() as editor:
        assert editor.server.session
        editor.server._session = None
        with pytest.raises(RequestFailed) as caught:
            await editor.request("twospeed/status", {})
        assert caught.value.code == -32002


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"5",
        b'{"jsonrpc":"2.0"}',
        b'{"id":{},"method":"shutdown"}',
        b"\xff\xfe",
        b"[" * 5000,
    ],
)
async def test_a_broken_message_does_not_stop_the_server(body: bytes) -> None:
    async with await Editor.started() as editor:
        editor._waiting[None] = asyncio.get_running_loop().create_future()
        editor.server.receive_body(body)
        assert (await editor.request("twospeed/status", {}))["mode"] == "lightning"


async def test_a_lone_surrogate_keeps_client_and_server_text_equal() -> None:
    async with await Editor.started() as editor:
        item = (
            b'{"uri":"%b","languageId":"python","version":1,"text":"a\\ud83d = \\ud83d\\ude00\\n"}'
            % URI.encode()
        )
        body = b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":%b}}' % item
        editor.server.receive_body(body)
        assert editor.server.session
        assert editor.server.session.channel(URI).document.text == "a? = \U0001f600\n"


async def test_a_second_initialize_is_refused_and_changes_nothing() -> None:
    async with await Editor.started() as editor:
        session = editor.server.session
        with pytest.raises(RequestFailed) as caught:
            await editor.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        assert caught.value.code == -32600
        assert editor.server.session is session


async def test_late_unknown_and_empty_responses_are_ignored() -> None:
    async with await Editor.started() as editor:
        for message_id in ("twospeed-1", 7, None):
            editor.send({"jsonrpc": "2.0", "id": message_id, "result": None})
            editor.send({"jsonrpc": "2.0", "id": message_id, "error": {"code": 1, "message": "x"}})
        assert (await editor.request("twospeed/status", {}))["mode"] == "lightning"


async def test_a_request_sees_the_version_it_was_sent_with() -> None:
    async with await Editor.started() as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer(TEXT.replace("return a", "return a + 1"))))
        _, running = editor.ask("twospeed/edit", editor.edit_params(0))
        editor.type(0, 0, "# typed\n")
        assert (await running)["outcome"] == "applied"
        assert editor.buffers[URI].text == "# typed\n" + TEXT.replace("return a", "return a + 1")


async def test_closing_a_document_ends_its_edits() -> None:
    async with await Editor.started(STREAMING) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel([asyncio.Event()]))
        _, running = editor.ask("twospeed/edit", editor.edit_params(0))
        await asyncio.sleep(0)
        editor.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        assert (await running)["outcome"] == "cancelled"


async def test_modes_toggle_and_every_change_is_reported() -> None:
    async with await Editor.started(STREAMING) as editor:
        assert (await editor.request("twospeed/setMode", {}))["mode"] == "deep"
        assert (await editor.request("twospeed/setMode", {"mode": "deep"}))["mode"] == "deep"
        await editor.command("twospeed.toggleMode")
        await editor.wait_for(lambda: len(editor.messages("twospeed/modeChanged")) == 3)
        state = editor.messages("twospeed/modeChanged")[-1]
        assert state["mode"] == "lightning"
        assert state["lightning"] == {"provider": "builtin", "model": "rules"}


async def test_a_stock_client_is_shown_the_mode_it_toggled_to() -> None:
    async with await Editor.started() as editor:
        await editor.command("twospeed.toggleMode")
        await editor.wait_for(lambda: editor.messages("window/showMessage"))
        assert editor.messages("window/showMessage")[0] == {"type": 3, "message": "🧠 Deep: builtin/rules"}


async def test_status_reports_lanes_and_edits() -> None:
    async with await Editor.started() as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer("I am sorry.")))
        await editor.edit(0)
        status = await editor.request("twospeed/status", {})
        assert status["lanes"]["lightning"][-1] == {
            "provider": "builtin",
            "model": "rules",
            "ready": True,
            "reason": None,
        }
        (edit,) = status["edits"]
        assert (edit["state"], edit["outcome"], edit["verdict"], edit["reason"]["code"]) == (
            "ended",
            "refused",
            None,
            "not-code",
        )


async def test_scopes_come_innermost_first() -> None:
    async with await Editor.started() as editor:
        editor.open("class A:\n    def f(self):\n        return 1\n")
        where = {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 9}}
        result = await editor.request("twospeed/scopes", where)
        assert [(scope["kind"], scope["name"]) for scope in result["scopes"]] == [
            ("function", "f"),
            ("class", "A"),
            ("file", None),
        ]


# Code actions and commands


async def actions(editor: Editor, line: int, **context: object) -> list[dict]:
    params = {
        "textDocument": {"uri": URI},
        "range": place_range(line, 0, line, 0),
        "context": {"diagnostics": [], **context},
    }
    return await editor.request("textDocument/codeAction", params)


async def test_actions_offer_presets_comment_fixes_and_the_mode() -> None:
    async with await Editor.started(LITERALS) as editor:
        editor.open("# ai: return twice as much\n" + TEXT)
        diagnostic = {"range": place_range(2, 0, 2, 3), "message": "undefined name", "severity": 1}
        offered = await actions(editor, 1, diagnostics=[diagnostic])
        titles = [action["title"] for action in offered]
        assert titles[0] == "⚡ return twice as much"
        assert titles[1] == "⚡ Fix: undefined name"
        assert "⚡ Add error handling" in titles
        assert titles[-1] == "⚡ Switch to 🧠 Deep"
        assert all("edit" not in action and "isPreferred" not in action for action in offered)
        assert all(action["command"]["command"].startswith("twospeed.") for action in offered)
        assert offered[1]["kind"] == "quickfix.twospeed"
        assert offered[1]["diagnostics"][0]["message"] == "undefined name"


async def test_actions_are_filtered_by_kind_and_are_commands_for_old_clients() -> None:
    async with await Editor.started() as editor:
        editor.open(TEXT)
        assert await actions(editor, 0, only=["quickfix"]) == []
        assert await actions(editor, 0, only=["refactor.re"]) == []
        offered = await actions(editor, 0, only=["refactor.rewrite"])
        assert offered
        assert all(
            set(action) == {"title", "command", "arguments"} or "arguments" not in action
            for action in offered
        )


async def test_an_action_starts_an_edit_that_can_be_accepted_rejected_and_retried() -> None:
    async with await Editor.started({**STREAMING, **LITERALS}) as editor:
        editor.open(TEXT)
        new = TEXT.replace("return a", "return a + 1")
        model = ScriptedModel(scripted_answer(new), scripted_answer(TEXT.replace("return a", "return a + 2")))
        editor.serve(model)
        (preset,) = [action for action in await actions(editor, 0) if action["title"] == "⚡ Simplify"]
        command = preset["command"]
        started = await editor.command(command["command"], *command["arguments"])
        await editor.wait_for(lambda: editor.buffers[URI].text == new)
        await editor.wait_for(lambda: editor.messages("twospeed/editChanged")[-1]["state"] == "review")
        titles = [action["title"] for action in await actions(editor, 0)]
        assert "⚡ Accept this edit" in titles
        assert "⚡ Reject this edit" in titles
        (retry,) = [action for action in await actions(editor, 0) if "Retry" in action["title"]]
        assert retry["command"]["arguments"] == [{"editId": started["editId"]}]
        await editor.command("twospeed.retry", {"editId": started["editId"]})
        await editor.wait_for(lambda: "a + 2" in editor.buffers[URI].text)
        await editor.wait_for(lambda: editor.messages("twospeed/editChanged")[-1]["state"] == "review")
        assert editor.messages("twospeed/editChanged")[-1]["mode"] == "deep"
        await editor.command("twospeed.reject")
        await editor.wait_for(lambda: editor.buffers[URI].text == TEXT)


async def test_a_running_edit_can_be_cancelled_from_the_menu() -> None:
    async with await Editor.started({**STREAMING, **LITERALS}) as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel([asyncio.Event()]))
        started = await editor.command(
            "twospeed.edit", {"uri": URI, "range": place_range(0, 0, 0, 0), "instruction": "x"}
        )
        assert "⚡ Cancel this edit" in [action["title"] for action in await actions(editor, 0)]
        await editor.command("twospeed.cancel", started["editId"])
        await editor.wait_for(lambda: editor.messages("twospeed/editChanged")[-1]["outcome"] == "cancelled")


async def test_a_failed_command_shows_its_reason() -> None:
    async with await Editor.started() as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel(scripted_answer("No.")))
        await editor.command(
            "twospeed.edit", {"uri": URI, "range": place_range(0, 0, 0, 0), "instruction": "x"}
        )
        await editor.wait_for(lambda: editor.messages("window/showMessage"))
        message = editor.messages("window/showMessage")[0]
        assert message["type"] == 2
        assert message["message"].startswith("⚡ refused: ")


async def test_progress_is_shown_on_the_clients_token_and_cancelling_it_cancels_the_edit() -> None:
    async with await Editor.started() as editor:
        editor.open(TEXT)
        editor.serve(ScriptedModel([asyncio.Event()]))
        _, running = editor.ask("twospeed/edit", editor.edit_params(0, workDoneToken="w"))
        await editor.wait_for(lambda: editor.progress("w"))
        editor.notify("window/workDoneProgress/cancel", {"token": "w"})
        assert (await running)["outcome"] == "cancelled"
        await editor.wait_for(lambda: len(editor.progress("w")) == 2)
        begin, end = editor.progress("w")
        assert (begin["kind"], begin["cancellable"], end["kind"]) == ("begin", True, "end")


async def test_show_prompt_sends_nothing_and_shows_everything() -> None:
    async with await Editor.started() as editor:
        editor.open(TEXT)
        model = ScriptedModel()
        editor.serve(model)
        argument = {"uri": URI, "range": place_range(0, 0, 0, 0), "instruction": "count the sheep"}
        shown = await editor.command("twospeed.showPrompt", argument)
        assert (shown["provider"], shown["model"]) == ("builtin", "rules")
        assert shown["messages"][0]["role"] == "system"
        assert "count the sheep" in shown["messages"][-1]["content"]
        assert TEXT in shown["messages"][-1]["content"]
        assert model.requests == []


# Settings


async def test_a_setting_that_clients_may_not_set_is_refused_with_its_place() -> None:
    async with await Editor.started(options={"providers": {"x": {"base_url": "http://evil"}}}) as editor:
        (message,) = editor.messages("window/showMessage")
        assert message["type"] == 1
        assert "initializationOptions" in message["message"]
        assert "providers" in message["message"]


async def test_a_client_may_set_the_mode() -> None:
    async with await Editor.started(options={"mode": "deep"}) as editor:
        assert (await editor.request("twospeed/status", {}))["mode"] == "deep"
        editor.notify("workspace/didChangeConfiguration", {"settings": {"twospeed": {"mode": "lightning"}}})
        assert (await editor.request("twospeed/status", {}))["mode"] == "lightning"


async def test_a_broken_config_refuses_edits_and_names_file_line_and_key(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('mode = "lightning"\nmood = "good"\n')
    async with await Editor.started(environ={"TWOSPEED_CONFIG": str(config)}) as editor:
        (message,) = editor.messages("window/showMessage")
        assert f"{config}:2: mood" in message["message"]
        editor.open(TEXT)
        result = await editor.edit(0)
        assert (result["outcome"], result["reason"]["code"]) == ("failed", "settings")
        assert editor.buffers[URI].text == TEXT


async def test_a_workspace_file_cannot_name_an_endpoint(tmp_path: Path) -> None:
    (tmp_path / ".twospeed.toml").write_text(
        'mode = "deep"\n[providers.x]\nbase_url = "https://evil.example"\n'
    )
    async with await Editor.started(root=tmp_path.as_uri()) as editor:
        (message,) = editor.messages("window/showMessage")
        assert ".twospeed.toml" in message["message"]
        assert (await editor.request("twospeed/status", {}))["mode"] == "lightning"


@pytest.mark.security("R4.1")
@pytest.mark.parametrize("name", [".env", "server.pem", "id_rsa", "credentials.json"])
async def test_files_with_secrets_are_never_sent(name: str) -> None:
    async with await Editor.started() as editor:
        uri = f"file:///project/{name}"
        editor.open("A=1\n", uri=uri, language="plaintext")
        model = ScriptedModel()
        editor.serve(model)
        result = await editor.request("twospeed/edit", editor.edit_params(0, uri=uri))
        assert (result["outcome"], result["reason"]["code"]) == ("refused", "never-send")
        assert model.requests == []


@pytest.mark.security("R4.1")
@pytest.mark.parametrize("pattern", ["/build", "build/out.py", "out.py"])
async def test_files_ignored_by_the_workspace_are_never_sent(tmp_path: Path, pattern: str) -> None:
    (tmp_path / ".twospeed.toml").write_text(f'ignore = ["{pattern}"]\n')
    async with await Editor.started(root=tmp_path.as_uri()) as editor:
        uri = (tmp_path / "build" / "out.py").as_uri()
        editor.open(TEXT, uri=uri)
        model = ScriptedModel()
        editor.serve(model)
        result = await editor.request("twospeed/edit", editor.edit_params(0, uri=uri))
        assert (result["outcome"], result["reason"]["code"]) == ("refused", "never-send")
        argument = {"uri": uri, "range": place_range(0, 0, 0, 0), "instruction": "x"}
        with pytest.raises(RequestFailed, match="never sent"):
            await editor.command("twospeed.showPrompt", argument)
        assert model.requests == []


@pytest.mark.security("R4.1")
async def test_an_unreadable_workspace_file_refuses_edits(tmp_path: Path) -> None:
    (tmp_path / ".twospeed.toml").write_text('ignore = ["*.py"]\nignroe = []\n')
    async with await Editor.started(root=tmp_path.as_uri()) as editor:
        editor.open(TEXT)
        result = await editor.edit(0)
        assert (result["outcome"], result["reason"]["code"]) == ("failed", "settings")


@pytest.mark.security("R2.1")
async def test_a_discovered_cloud_provider_is_used_only_after_consent() -> None:
    environ = {"CEREBRAS_API_KEY": "csk-test"}
    opened: list[str] = []
    model = ScriptedModel(scripted_answer(TEXT.replace("return a", "return a + 1")))

    def noted(provider: str) -> ScriptedModel:
        opened.append(provider)
        return model

    async with await Editor.started({"window": {"showMessage": {}}}, environ=environ) as editor:
        editor.open(TEXT)
        session = editor.server.session
        assert session
        session.source.open = lambda provider, name, limits: noted(provider.name)
        editor.answer = lambda method, params: (
            {"title": "No"} if method == "window/showMessageRequest" else None
        )
        await editor.edit(0)
        assert opened == ["builtin"]
        session.source.consents.refused.clear()
        editor.answer = lambda method, params: (
            {"title": "Yes"} if method == "window/showMessageRequest" else None
        )
        await editor.edit(0)
        assert opened == ["builtin", "cerebras"]
        questions = [
            params["message"] for method, params in editor.requests if method == "window/showMessageRequest"
        ]
        assert "api.cerebras.ai" in questions[0]
        await editor.edit(0)
        assert len(questions) == 2
    async with await Editor.started(environ=environ) as editor:
        editor.open(TEXT)
        assert editor.server.session
        editor.server.session.source.open = lambda provider, name, limits: noted(provider.name)
        await editor.edit(0)
        assert opened[-1] == "cerebras", "the yes was not remembered"
