"""A real Vim loads the files for coc.nvim and vim-lsp; in place of vim-lsp, a function records what is registered."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from twospeed.cli.main import parser_of
from twospeed.text.code.language_ids import KNOWN, canonical_language_id

FILES = Path(__file__).parents[3] / "editors" / "vim"
VIM = shutil.which("vim")

pytestmark = pytest.mark.skipif(VIM is None, reason="Vim is not installed: apt-get install vim")

REGISTER = """
function! lsp#register_server(server) abort
  let g:registered = extend({'command': call(a:server.cmd, [{}])}, a:server)
  unlet g:registered.cmd
endfunction
"""


def seen_by_vim(name: str, folder: Path, expression: str, *commands: str) -> Any:
    """Load a file of `editors/vim` in Vim, run commands, and return the value of an expression.

    Vim ends with a status that is not 0 if an error occurs in the file or the commands.
    """
    result = folder / "result.json"
    (folder / "autoload").mkdir()
    (folder / "autoload" / "lsp.vim").write_text(REGISTER)
    last = f"call writefile([json_encode({expression})], '{result}')"
    options = [option for command in (*commands, last, "qall!") for option in ("-c", command)]
    assert VIM
    bare = [VIM, "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "--cmd", f"set runtimepath^={folder}"]
    done = subprocess.run(
        [*bare, "-S", str(FILES / name), *options],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(result.read_text("utf-8"))


def test_the_file_for_vim_lsp_registers_the_server_and_its_languages(tmp_path: Path) -> None:
    server = seen_by_vim("vim-lsp.vim", tmp_path, "g:registered", "doautocmd User lsp_setup")
    program, *arguments = server["command"]
    assert (program, server["name"]) == ("twospeed", "twospeed")
    assert parser_of("serve").parse_args(arguments).stdio
    assert {canonical_language_id(each) for each in server["allowlist"]} <= KNOWN


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        (
            "coc.vim",
            {
                "n": "<Plug>(coc-codeaction-cursor)",
                "x": "<Plug>(coc-codeaction-selected)",
            },
        ),
        ("vim-lsp.vim", {"n": "<Plug>(lsp-code-action)", "x": ":LspCodeAction<CR>"}),
    ],
)
def test_a_key_lists_the_code_actions_at_the_cursor_and_for_a_selection(
    name: str, keys: dict[str, str], tmp_path: Path
) -> None:
    assert seen_by_vim(name, tmp_path, r"{'n': maparg('\a', 'n'), 'x': maparg('\a', 'x')}") == keys


def test_a_key_of_coc_switches_the_mode(tmp_path: Path) -> None:
    key = seen_by_vim("coc.vim", tmp_path, r"maparg('\m', 'n')")
    assert key == "<Cmd>call CocAction('runCommand', 'twospeed.toggleMode')<CR>"
