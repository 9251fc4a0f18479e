import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.timing import check_linear

from twospeed.text.globs import first_match

MATCHES = [
    ("*.pem", "a.pem"),
    ("*.pem", "deep/in/a.pem"),
    ("node_modules", "web/node_modules/x/y.js"),
    ("build/", "src/build/out.txt"),
    ("/notes.md", "notes.md"),
    ("./notes.md", "notes.md"),
    ("docs/*.txt", "docs/a.txt"),
    ("docs/*", "docs/a/b.txt"),
    ("docs/**", "docs/a/b.txt"),
    ("**/docs/a", "docs/a"),
    ("**/docs/a", "x/y/docs/a"),
    ("a/**/z", "a/z"),
    ("a/**/z", "a/b/c/z"),
    ("[a-c]?.py", "b1.py"),
    ("[!a].py", "b.py"),
    ("**", "any/thing"),
    ("SECRET.TXT", "secret.txt"),
    ("caf\u00e9", "cafe\u0301"),
    ("docs/*.txt", "docs\\a.txt"),
    ("*.pem", "/home/user/elsewhere/a.pem"),
    ("[^a].py", "b.py"),
    ("v[[:digit:]]", "v7"),
    ("[[:upper:]].md", "A.md"),
    ("[a", "[a"),
    ("a]b", "a]b"),
    ("?.py", "\u00e9.py"),
    ("[\u00e0-\u00ef].py", "\u00c9.py"),
    ("a/**/**/z", "a/b/z"),
    (".", "any/thing"),
]

NO_MATCHES = [
    ("*.pem", "a.pem.py"),
    ("build/", "build"),
    ("build/", "rebuild/x"),
    ("/notes.md", "docs/notes.md"),
    ("docs/*.txt", "docs/a/b.txt"),
    ("docs/*.txt", "x/docs/a.txt"),
    ("docs/**", "docs"),
    ("a/**/z", "a/zz"),
    ("?.py", "ab.py"),
    ("[!a].py", "a.py"),
    ("", "a"),
    ("/", "a"),
    ("[^a].py", "a.py"),
    ("v[[:digit:]]", "vx"),
    ("a/**/z", "a/b/zz"),
]


@pytest.mark.parametrize(("pattern", "path"), MATCHES)
def test_a_pattern_matches_the_path(pattern, path):
    assert first_match(path, [pattern]) == pattern


@pytest.mark.parametrize(("pattern", "path"), NO_MATCHES)
def test_a_pattern_does_not_match_the_path(pattern, path):
    assert first_match(path, [pattern]) is None


def test_the_first_matching_pattern_is_returned():
    assert first_match("a/b.pem", ["x", "*.pem", "a/"]) == "*.pem"


NAMES = st.text("ab.", min_size=1, max_size=3).filter(lambda name: name.strip("."))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@given(PATHS)
def test_a_pattern_of_a_path_or_its_folders_matches_the_path(path):
    parts = path.split("/")
    assert first_match(path, ["/" + path])
    assert first_match(path, [parts[-1]])
    assert first_match(f"{path}/more", ["/" + path + "/"])


@given(PATHS, PATHS)
def test_leading_double_stars_match_at_any_depth(folder, path):
    assert first_match(f"{folder}/{path}", [f"**/{path}"])
    assert first_match(path, [f"**/{path}"])


@pytest.mark.security("R2.2")
@pytest.mark.parametrize(
    ("unit", "n", "path"),
    [
        ("*a", 25, "a" * 250),
        ("*?a", 15, "a" * 250),
        ("**/", 15, "a/" * 400 + "a"),
        ("**/a/", 10, "a/" * 400 + "a"),
        *[
            (unit, 25_000 // len(unit), "a/" * 20 + "a")
            for unit in ("[", "[!", "[[:", "[a-", "[[:a]", "[[:foo:]", "*?", "**/a/", "?")
        ],
    ],
)
def test_a_hostile_pattern_takes_time_linear_in_its_length(unit, n, path):
    def search(n: int) -> None:
        assert first_match(path, [unit * n + "b"]) is None

    check_linear(search, n)


def test_the_first_of_many_patterns_is_found_in_one_pass():
    patterns = [f"*{number}.pem" for number in range(1000)]
    assert first_match("keys/x77.pem", patterns) == "*7.pem"
    assert first_match("keys/x77.pem", patterns[8:]) == "*77.pem"
