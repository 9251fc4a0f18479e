"""Generated ignore files, evaluated by git and by twospeed.

``python -m tests.workspace.ignore_files --files 100000 --seed 1`` (or ``make gitignore``) prints how many
differ. Each file is the ``.gitignore`` of its own folder. The files of a folder stay from round to round, so
that one ``git ls-files`` evaluates hundreds of ignore files.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from twospeed.workspace.files import WorkspaceFiles

FOLDERS_IN_A_ROUND = 500

NAMES = (
    *(
        "a",
        "b",
        "ab",
        "a.py",
        "b.py",
        "A.py",
        "a.log",
        "x.tmp",
        "main.c",
        "lib",
        "src",
        "build",
        "out",
        "doc",
    ),
    *(
        "a b",
        "a ",
        " a",
        "a\\b",
        "a\\",
        "#a",
        "!a",
        "a*",
        "a?",
        "[a]",
        "a]",
        "[",
        "]",
        "-",
        "a-b",
        "^a",
        "z^.py",
    ),
    *(
        "a1",
        "a_b",
        "a.b.c",
        ".a",
        "..a",
        "a..",
        "a\tb",
        "a\rb",
        "a\r",
        "\x7fa",
        "\x0bx",
        "\x0cx",
        "~",
        "a~",
        "a:b",
    ),
    *(
        "\u00e9",
        "e\u0301",
        "\u00e9.py",
        "\u00df",
        "\u0130",
        "\ufeffa",
        "A",
        "AB",
        "Z",
        "aZ9",
        "9",
        "{a}",
        "`",
        "@",
    ),
    *(
        "a,b",
        "a'b",
        'a"b',
        "$a",
        "a+b",
        "(a)",
        "a=b",
        "a&b",
        "a|b",
        "%",
        "q?.py",
        "lib2",
        "aaa",
        "abab",
        "**",
    ),
)
NAMES_IN_BYTES = (*map(os.fsencode, NAMES), b"\xff", b"a\xe9.py")

SETS = (
    *(
        "[a]",
        "[ab]",
        "[!a]",
        "[^a]",
        "[a-c]",
        "[!a-c]",
        "[c-a]",
        "[]]",
        "[]a]",
        "[!]]",
        "[^]a]",
        "[a-]",
        "[-a]",
        "[!-a]",
    ),
    *(
        "[a-c-z]",
        "[\\]]",
        "[\\a]",
        "[a\\-z]",
        "[\\\\]",
        "[[]",
        "[[:alpha:]]",
        "[[:digit:]]",
        "[[:punct:]]",
        "[[:space:]]",
    ),
    *(
        "[[:upper:]]",
        "[[:lower:]]",
        "[[:alnum:]]",
        "[[:blank:]]",
        "[[:cntrl:]]",
        "[[:graph:]]",
        "[[:print:]]",
        "[/]",
    ),
    *(
        "[[:xdigit:]]",
        "[![:alpha:]]",
        "[^[:punct:]]",
        "[[:foo:]]",
        "[[:ALPHA:]]",
        "[[:alpha:][:digit:]]",
        "[[:alpha:]-z]",
    ),
    *(
        "[[:alpha]",
        "[[:]",
        "[[::]]",
        "[[:alpha:",
        "[[.a.]]",
        "[[=a=]]",
        "[a",
        "[",
        "[!",
        "[^",
        "[]",
        "[!]",
        "[\\",
        "[a\\",
    ),
    *(
        "[a/b]",
        "[--9]",
        "[ -~]",
        "[\x01-\x7f]",
        "[%--]",
        "[+--]",
        "[a-\\c]",
        "[\\a-c]",
        "[\\--a]",
        "[!!]",
        "[^^]",
        "[!^]",
    ),
    *(
        "[[:digit:]a]",
        "[a[:digit:]]",
        "[[:digit:]-a]",
        "[a-[:digit:]]",
        "[0-9A-Za-z_.]",
        "[*]",
        "[?]",
        "[\\*]",
    ),
)
PIECES = (
    *(
        "*",
        "**",
        "***",
        "?",
        "/",
        "//",
        "\\",
        "\\\\",
        "\\/",
        "\\*",
        "\\?",
        "\\[",
        "\\ ",
        " ",
        "  ",
        "\t",
        "!",
        "#",
        "\\!",
        "\\#",
    ),
    *(
        "/**",
        "**/",
        "/**/",
        "/*",
        "*/",
        "/*/",
        "**/**",
        "**/*",
        "*/**",
        "a**",
        "**b",
        ".",
        "..",
        "./",
        "-",
        "\r",
        "\0",
        "\x0b",
    ),
    *(
        "a",
        "b",
        "A",
        "é",
        "e\u0301",
        "\ufeff",
        "a/b",
        "a/**/b",
        "**/a/**/b",
        "*a*b*",
        "*.py",
        "*.*",
        "?*",
        "*?",
        ".*",
    ),
    *SETS,
)


def made_file(rng: random.Random, paths: list[bytes]) -> bytes:
    """Return an ignore file for a folder with these paths."""
    lines = [_pattern(rng, paths) for _ in range(rng.choice((1, 1, 2, 3, 5)))]
    ends = rng.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r\r\n"))
    text = ends.join(lines) + rng.choice((ends, b"", b"\r"))
    return rng.choice((b"\xef\xbb\xbf", *[b""] * 15)) + text


def _pattern(rng: random.Random, paths: list[bytes]) -> bytes:
    if rng.random() < 0.2:
        pattern = b"".join(os.fsencode(rng.choice(PIECES)) for _ in range(rng.randint(1, 5)))
    else:
        pattern = _altered(rng, rng.choice(paths))
    pattern = rng.choice((b"!", b"/", b"**/", b"!/", b"\\", *[b""] * 8)) + pattern
    return pattern + rng.choice(
        (b"/", b"/*", b"/**", b" ", b"  ", b"\\ ", b"\\", b"\t", b" \\ ", *[b""] * 14)
    )


def _altered(rng: random.Random, path: bytes) -> bytes:
    """Return a pattern that may match a path, with parts of it replaced."""
    parts = path.split(b"/")
    if rng.random() < 0.4:
        parts = parts[rng.randrange(len(parts)) :]
    if len(parts) > 1 and rng.random() < 0.4:
        parts[rng.randrange(len(parts))] = rng.choice((b"*", b"**", b"***", b"?"))
    pattern = b"/".join(parts)
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        begin = rng.randrange(len(pattern) + 1)
        end = min(len(pattern), begin + rng.choice((0, 1, 1, 1, 2)))
        pattern = pattern[:begin] + _instead(rng, pattern[begin:end]) + pattern[end:]
    return pattern


def _instead(rng: random.Random, piece: bytes) -> bytes:
    character = piece[:1] if piece.isalnum() else b"a"
    return rng.choice(
        (
            b"*",
            b"**",
            b"?",
            b"\\" + piece,
            b"[" + character + b"]",
            b"[!" + character + b"]",
            b"[" + character + b"-" + rng.choice((b"z", b"Z", b"9", b"~")) + b"]",
            piece.swapcase(),
            os.fsencode(rng.choice(PIECES)),
            os.fsencode(rng.choice(SETS)),
        )
    )


class Judges:
    """Folders of files in one repository, and both evaluations of them.

    Args:
        root: An empty folder.
        rng: Chooses the names.
        n_folders: Number of folders, each with an ignore file.
        ignores_case: Whether the repository is configured to fold case.
    """

    def __init__(self, root: Path, rng: random.Random, n_folders: int, *, ignores_case: bool = False) -> None:
        self._root = root
        self._rng = rng
        self._n_folders = n_folders
        environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._environ = environ | {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
        self._git("init", "-q", ".")
        if ignores_case:
            self._git("config", "core.ignorecase", "true")
        self._paths = [self._made_folder(number) for number in range(n_folders)]

    def _git(self, *arguments: str) -> bytes:
        ran = subprocess.run(
            ["git", *arguments], cwd=self._root, env=self._environ, check=True, capture_output=True
        )
        return ran.stdout

    def _made_folder(self, number: int) -> list[bytes]:
        """Create a folder with some files; return their paths in it."""
        folder = self._root / str(number)
        paths: list[bytes] = []
        while len(paths) < 14:
            names = self._rng.choices(NAMES_IN_BYTES, k=self._rng.choice((1, 1, 2, 2, 3, 4)))
            path = b"/".join(names)
            file = folder / os.fsdecode(path)
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.touch(exist_ok=False)
            except (FileExistsError, NotADirectoryError):
                continue
            paths.append(path)
        return paths

    def round(self) -> list[tuple[bytes, set[str], set[str]]]:
        """Write an ignore file in each folder; return each with a difference.

        Returns:
            The ignore file, the paths that only we would read, and the paths that only git lists.
        """
        files = []
        for number, paths in enumerate(self._paths):
            files.append(made_file(self._rng, paths))
            (self._root / str(number) / ".gitignore").write_bytes(files[-1])
        listing = self._git("ls-files", "-o", "--exclude-standard", "-z")
        by_git = {os.fsdecode(name) for name in listing.split(b"\0") if name}
        by_us = {path.relative_to(self._root).as_posix() for path in WorkspaceFiles(self._root, ()).paths()}
        differing = {path.split("/")[0] for path in by_git ^ by_us}
        return [
            (
                files[int(number)],
                {path for path in by_us - by_git if path.split("/")[0] == number},
                {path for path in by_git - by_us if path.split("/")[0] == number},
            )
            for number in sorted(differing)
        ]


def main() -> int:
    """Compare, and print the differences."""
    parser = argparse.ArgumentParser(description="Compare our judgement of made-up ignore files with git's.")
    parser.add_argument("--files", type=int, default=100_000, help="how many ignore files")
    parser.add_argument(
        "--seed", type=int, default=int(time.time()), help="the same seed makes the same files"
    )
    options = parser.parse_args()
    rng = random.Random(options.seed)
    n_files = n_differing = 0
    while n_files < options.files:
        # Other folders every few rounds, so that patterns meet other names; every fourth time case is folded.
        folder = Path(tempfile.mkdtemp(prefix="ignore-files-"))
        try:
            n_folders = min(FOLDERS_IN_A_ROUND, options.files - n_files)
            judges = Judges(folder, rng, n_folders, ignores_case=rng.random() < 0.25)
            for _ in range(10):
                if n_files < options.files:
                    differing = judges.round()
                    n_files += n_folders
                    n_differing += len(differing)
                    for text, ours, gits in differing[:3]:
                        print(f"{text!r}: only we read {sorted(ours)}, only git lists {sorted(gits)}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"{n_files:,} ignore files of seed {options.seed}, {n_differing} with another result than in git")
    return 1 if n_differing else 0


if __name__ == "__main__":
    sys.exit(main())
