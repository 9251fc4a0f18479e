"""Patterns by language: code that runs a program, runs a string as code, or deserializes objects.

They are matched with code without its strings and comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

_NEVER = r"(?!)"
"""Matches nothing."""


@dataclass(frozen=True, slots=True)
class ExecutionPatterns:
    """Patterns of one language."""

    code: str  # code that runs a program or a string
    modules: str = _NEVER  # modules with such functions
    deserializing: str = _NEVER


_UNQUALIFIED = r"(?<![\w.:>$@-])"
"""Before a name: nothing qualifies or extends it, unlike ``pattern.exec`` and ``my_eval``."""

_JAVASCRIPT = ExecutionPatterns(
    _UNQUALIFIED + r"(?:eval|execSync|execFile(?:Sync)?|spawn(?:Sync)?)\s*\(|"
    r"(?<![\w.$])new\s+Function\s*\(|"
    + _UNQUALIFIED
    + r"Function\s*\(|\bchild_process\b|\bvm\.(?:run\w*|Script)\b|"
    r"\bDeno\.Command\b|\bBun\.spawn\w*|\bdocument\.write\s*\(",
    modules=r"(?:node:)?(?:child_process|vm)|execa|shelljs|cross-spawn",
    deserializing=r"\b(?:node_?serialize|serialize-javascript)\b|\bunserialize\s*\(",
)
_JVM = ExecutionPatterns(
    r"\bgetRuntime\s*\(\s*\)\s*\.\s*exec\b|\bProcessBuilder\b|\bScriptEngine(?:Manager)?\b|\bClass\.forName\s*\(|"
    r"\.loadClass\s*\(|\bGroovyShell\b|\bsys\.process\b",
    modules=r"scala\.sys\.process|javax\.script",
    deserializing=r"\bObjectInputStream\b|\breadObject\s*\(|\bXMLDecoder\b|\bXStream\b|\bSnakeYaml\b",
)
_C = ExecutionPatterns(
    _UNQUALIFIED + r"(?:system|_?w?popen|exec[lv]p?e?|posix_spawnp?|dlopen|LoadLibrary\w*|CreateProcess\w*|"
    r"ShellExecute\w*|WinExec)\s*\("
)

_BY_LANGUAGE: Mapping[str, ExecutionPatterns] = {
    "python": ExecutionPatterns(
        _UNQUALIFIED
        + r"(?:eval|exec|compile|__import__)\s*\(|\bos\.(?:system|popen|exec[lv]\w*|spawn\w+|startfile)\b|"
        r"\bsubprocess\.\w+|\bcreate_subprocess_\w+|\bpty\.spawn\b|\brunpy\.\w+|\bshell\s*=\s*True\b|"
        r"\bctypes\.(?:CDLL|cdll|windll)\b|\bimport_module\s*\(",
        modules=r"subprocess|pty|runpy|pexpect|sh|ctypes",
        deserializing=r"\b(?:c?[pP]ickle|dill|cloudpickle|marshal|jsonpickle|shelve)\.\w+|\byaml\.(?:unsafe_|full_)?load(?:_all)?\b|"
        r"\bread_pickle\b|\btorch\.load\b|\bjoblib\.load\b",
    ),
    "javascript": _JAVASCRIPT,
    "go": ExecutionPatterns(
        r"\bexec\.(?:Command|CommandContext|LookPath)\b|\bsyscall\.(?:Exec|ForkExec)\b|\bos\.StartProcess\b|\bplugin\.Open\b",
        modules=r"os/exec|plugin",
        deserializing=r"\bgob\.NewDecoder\b",
    ),
    "rust": ExecutionPatterns(r"\bCommand::new\b|\bprocess::Command\b|\blibloading\b", modules=r"libloading"),
    "java": _JVM,
    "c": _C,
    "csharp": ExecutionPatterns(
        r"\bProcess\.Start\b|\bProcessStartInfo\b|\bAssembly\.Load\w*|\bCSharpScript\b|\bInvokeMember\b",
        modules=r"System\.Diagnostics\.Process|Microsoft\.CodeAnalysis\.CSharp\.Scripting",
        deserializing=r"\b(?:BinaryFormatter|NetDataContractSerializer|LosFormatter|SoapFormatter|ObjectStateFormatter)\b",
    ),
    "ruby": ExecutionPatterns(
        _UNQUALIFIED
        + r"(?:eval|system|exec|spawn|syscall)\b(?!\s*[=,.)\]:]|\s*$)|\b(?:instance|class|module)_eval\b|"
        r"\bOpen3\b|\bIO\.popen\b|\bKernel\.\w+|\bconstantize\b",
        modules=r"open3|shellwords",
        deserializing=r"\bMarshal\.load\b|\bYAML\.(?:unsafe_)?load\b|\bOj\.load\b",
    ),
    "php": ExecutionPatterns(
        _UNQUALIFIED
        + r"(?:eval|exec|shell_exec|system|passthru|popen|proc_open|pcntl_exec|create_function|assert)\s*\(",
        deserializing=_UNQUALIFIED + r"unserialize\s*\(",
    ),
    "shellscript": ExecutionPatterns(
        r"(?:^|[;&|(]|\bthen\b|\bdo\b)\s*(?:eval|source)\s|\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b"
    ),
    "lua": ExecutionPatterns(
        _UNQUALIFIED
        + r"(?:load|loadstring|dofile|loadfile)\s*[(\"']|\bos\.execute\b|\bio\.popen\b|\bpackage\.loadlib\b"
    ),
    "swift": ExecutionPatterns(r"\bProcess\s*\(\s*\)|\bNSTask\b|\bdlopen\s*\("),
    "haskell": ExecutionPatterns(
        r"\b(?:callProcess|callCommand|readProcess\w*|createProcess|rawSystem|unsafePerformIO)\b",
        modules=r"System\.Process",
    ),
    "perl": ExecutionPatterns(_UNQUALIFIED + r"(?:eval|system|exec)\b\s*[(\"'{$@]|\bqx\b|\bopen3\b"),
    "powershell": ExecutionPatterns(
        r"(?i)\b(?:Invoke-Expression|iex|Start-Process|Add-Type|Invoke-Command)\b"
    ),
    "elixir": ExecutionPatterns(
        r"\bSystem\.(?:cmd|shell)\b|\bCode\.eval_\w+|\bPort\.open\b", deserializing=r"\bbinary_to_term\b"
    ),
    "r": ExecutionPatterns(r"\beval\s*\(|\bsystem2?\s*\("),
    "julia": ExecutionPatterns(
        r"(?<!@)\beval\s*\(|\bMeta\.parse\b|\brun\s*\(`", deserializing=r"\bdeserialize\s*\("
    ),
}

_ALIASES = {
    "javascriptreact": "javascript",
    "typescript": "javascript",
    "typescriptreact": "javascript",
    "vue": "javascript",
    "svelte": "javascript",
    "kotlin": "java",
    "scala": "java",
    "groovy": "java",
    "cpp": "c",
    "objective-c": "c",
    "objective-cpp": "c",
    "makefile": "shellscript",
    "dockerfile": "shellscript",
}

_DEFAULT = ExecutionPatterns(_UNQUALIFIED + r"(?:eval|exec|system)\s*\(")


@dataclass(frozen=True, slots=True)
class CompiledPatterns:
    """`ExecutionPatterns` as regular expressions."""

    code: re.Pattern[str]
    modules: re.Pattern[str]
    deserializing: re.Pattern[str]


@cache
def patterns_for(language_id: str) -> CompiledPatterns:
    """Return the patterns of a language, or common ones if it is unknown."""
    patterns = _BY_LANGUAGE.get(_ALIASES.get(language_id, language_id), _DEFAULT)
    return CompiledPatterns(
        re.compile(patterns.code, re.MULTILINE),
        re.compile(rf"(?:{patterns.modules})(?![\w-])"),
        re.compile(patterns.deserializing),
    )


def executing_names(code: str, language_id: str) -> Iterator[str]:
    """Yield what in the code runs something, without the brackets, quotes or operators around it."""
    patterns = patterns_for(language_id)
    for pattern in (patterns.code, patterns.deserializing):
        for match in pattern.finditer(code):
            yield " ".join(match[0].strip("([{;&| \t\"'").split())


def is_executing_module(text: str, language_id: str) -> bool:
    """Return whether a string names a module that runs something, such as ``child_process``."""
    return patterns_for(language_id).modules.fullmatch(text) is not None
