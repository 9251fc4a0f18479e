"""Tables of code execution: an example of each kind in each language, a near miss, and modules."""

from __future__ import annotations

import pytest

from twospeed.gate.code_execution import executing_names, is_executing_module


@pytest.mark.parametrize(
    ("language_id", "code"),
    [
        ("csharp", "new BinaryFormatter()"),
        ("csharp", "Process.Start(a)"),
        ("elixir", "binary_to_term(b)"),
        ("elixir", 'System.cmd("ls")'),
        ("go", "gob.NewDecoder(r)"),
        ("go", "exec.Command(a)"),
        ("haskell", "callCommand a"),
        ("java", "new ObjectInputStream(a)"),
        ("java", "Class.forName(a)"),
        ("groovy", "Class.forName(a)"),
        ("kotlin", "Class.forName(a)"),
        ("scala", "Class.forName(a)"),
        ("javascript", "node_serialize"),
        ("svelte", "new Function(a)"),
        ("typescript", "new Function(a)"),
        ("vue", "new Function(a)"),
        ("javascriptreact", "Bun.spawn(a)"),
        ("typescriptreact", "document.write(a)"),
        ("julia", "deserialize(a)"),
        ("julia", "Meta.parse(a)"),
        ("lua", "os.execute(a)"),
        ("objective-c", "dlopen(a)"),
        ("objective-cpp", "popen(a)"),
        ("cpp", "popen(a)"),
        ("perl", "qx{ls}"),
        ("php", "unserialize($a)"),
        ("php", "shell_exec($a)"),
        ("powershell", "iex $a"),
        ("python", "joblib.load(a)"),
        ("python", "os.popen(a)"),
        ("r", "system2(a)"),
        ("ruby", "Marshal.load(a)"),
        ("ruby", "IO.popen a"),
        ("rust", "Command::new(a)"),
        ("swift", "NSTask"),
        ("makefile", "curl a | sh"),
        ("dockerfile", "curl a | sh"),
        ("fantasy", "system(a)"),
    ],
)
def test_each_language_matches_its_examples_of_code_execution(language_id: str, code: str) -> None:
    assert list(executing_names(code, language_id))


@pytest.mark.parametrize(
    ("language_id", "module"),
    [
        ("csharp", "System.Diagnostics.Process"),
        ("go", "os/exec"),
        ("haskell", "System.Process"),
        ("java", "javax.script"),
        ("javascript", "node:child_process"),
        ("python", "subprocess"),
        ("ruby", "open3"),
        ("rust", "libloading"),
    ],
)
def test_an_executing_module_matches_by_its_whole_name(language_id: str, module: str) -> None:
    assert is_executing_module(module, language_id)
    assert not is_executing_module(f"{module}x", language_id)
    assert not is_executing_module(f"my{module}", language_id)
    assert not is_executing_module(module, "fantasy")
