"""Every small case of the text room, with its recorded result.

A row of ``recorded/small_cases.txt`` contains the name of a group of cases, their number and a checksum of
their results. ``python -m tests.text.small_cases NAME`` prints the cases of a row with their results; without
a name the command writes the file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement, product
from pathlib import Path
from zlib import crc32

from twospeed.secrets.detectors.private_keys import ends_in_key
from twospeed.secrets.placeholders import Placeholders
from twospeed.secrets.scrub import lower_case
from twospeed.text.code.language_ids import KNOWN, canonical_language_id, language_id_of
from twospeed.text.code.symbols import FileSymbols, Symbol, SymbolPlace
from twospeed.text.code.words import names_in, words_of
from twospeed.text.document import ContentChange, Document, Splice, trimmed_splice
from twospeed.text.edits import LineEdit, apply_line_edits, common_ends, text_edits
from twospeed.text.globs import first_match, first_match_of_file
from twospeed.text.hidden import make_visible, make_visible_in_line, make_visible_in_prose
from twospeed.text.landmarks import cut_at_landmarks
from twospeed.text.line_blocks import BLOCK_LINES, Lines
from twospeed.text.lines import EolCounts, bodies_of, body_of, dominant_eol, eol_of, split_lines
from twospeed.text.positions import Position, Range, column_of, units
from twospeed.text.wildcards import CharacterSet, Item, Pattern, PatternSet, Star, read_set

FILE = Path(__file__).parent / "recorded" / "small_cases.txt"
Cases = Iterator[tuple[str, object]]
"""A group of cases and their results."""

TEXTS = (
    "",
    "a",
    "\n",
    "a\n",
    "a\nb",
    "a\r\nb\r\n",
    "a\rb\r",
    "a\r\n\rb\n",
    "\r\n\n\r",
    "é🎉\nb\r\n",
    "a\n\nb\n",
    "a\rb",
    "b\r\n\n",
)
EOLS = ("\n", "\r\n", "\r")


def tried(call: Callable[[], object]) -> object:
    """Return a result, or the message of an error."""
    try:
        return call()
    except (ValueError, IndexError) as error:
        return f"{type(error).__name__}: {error}"


def lines_and_ends() -> Cases:
    for text in (*TEXTS, "\f\v\x85\u2028x\n", "a\r\r\nb", "\r\n\r\n", "\n\r"):
        lines = split_lines(text)
        yield (
            repr(text),
            (lines, bodies_of(lines), [body_of(each) for each in lines], [eol_of(each) for each in lines]),
        )
        yield f"{text!r} ends", (dominant_eol(text), EolCounts.of(lines), sorted(EolCounts.of(lines).kinds()))
        yield f"{text!r} usual", [EolCounts.of(lines).most_frequent(eol) for eol in EOLS]
    for parts in (["a"], ["a\r", "\n"], ["a\r", "b"], ["a", "b\n"], ["", ""], []):
        yield repr(parts), (bodies_of(parts), EolCounts.of(parts))


def _edits(n_lines: int) -> Iterator[list[LineEdit]]:
    news = ((), ("x",), ("x\n",), ("x\r",), ("",), ("\n",), ("x", "y\r\n"), ("a",), ("ab",))
    one = [
        LineEdit(start, count, new)
        for start in range(n_lines + 1)
        for count in range(n_lines - start + 1)
        for new in news
        if count or new
    ]
    yield from ([each] for each in one)
    for first, second in product(one[::3], one[::5]):
        if first.start + first.count <= second.start:
            yield [first, second]


def edits_of_lines() -> Cases:
    for text, eol in product((*TEXTS, "a\rb\n\nc", "a\r"), EOLS):
        lines = split_lines(text)
        for edits in _edits(len(lines)):
            applied = apply_line_edits(lines, edits, eol)
            below = [LineEdit(each.start + 5, each.count, each.lines) for each in edits]
            assert apply_line_edits(lines, below, eol, offset=5) == applied
            found = [text_edits(lines, edits, "utf-16", eol, in_whole_lines=whole) for whole in (False, True)]
            yield f"{text!r} {eol!r} {edits}", (applied, found)
    lines = split_lines("a\nb\nc\n")
    yield "offset", apply_line_edits(lines, [LineEdit(5, 1, ("x",)), LineEdit(7, 0, ("y",))], "\n", offset=5)
    yield "utf-8", text_edits(["é🎉b\n", ""], [LineEdit(0, 1, ("é🎉c",))], "utf-8", "\n")


def common_parts() -> Cases:
    words = [*map("".join, (each for n in range(5) for each in product("ab", repeat=n)))]
    for old, new in product(words, words):
        yield f"{old} {new}", (common_ends(old, new), trimmed_splice(tuple(old), tuple(new), 3))
    for old, new in product(TEXTS, TEXTS):
        before, after = split_lines(old), split_lines(new)
        yield f"{old!r} {new!r}", trimmed_splice(before, after, 1)


def _document(text: str, eol: str = "") -> Document:
    document = Document.opened("file:///a", 1, "python", text, "utf-16")
    return document if not eol else Document("file:///a", 1, "python", document.lines, "utf-16", eol)


def _told(document: Document) -> object:
    return document.text, document.eol, sorted(document.retired_eols), document.version


def documents_changed() -> Cases:
    places = [Position(line, character) for line in range(4) for character in (0, 1, 3)]
    for text in TEXTS:
        document = _document(text)
        for start, end in combinations_with_replacement(places, 2):
            for new in ("", "x", "\n", "a\r\nb\r\n", "\nx"):
                changed, splice = document.changed(ContentChange(Range(start, end), new))
                yield f"{text!r} {start} {end} {new!r}", (_told(changed), splice)
        for new in TEXTS:
            changed, splice = document.changed(ContentChange(None, new))
            again, then = changed.changed(ContentChange(None, text))
            yield (
                f"{text!r} {new!r}",
                (
                    _told(changed),
                    splice,
                    _told(again),
                    then,
                ),
            )
            for edit in (
                LineEdit(0, 1, ("q\r\n",)),
                LineEdit(len(changed.lines), 0, ("q\n", "r")),
                LineEdit(0, 0, ("a\r",)),
            ):
                sent = (
                    _told(changed.with_edits([edit])),
                    changed.text_edits([edit]),
                    changed.text_edits([edit], in_whole_lines=True),
                )
                yield f"{text!r} {new!r} {edit}", sent
        lines = range(len(document.lines) + 1)
        yield (
            f"{text!r} ranges",
            [document.line_range(*each) for each in combinations_with_replacement(lines, 2)],
        )
        yield f"{text!r} places", [document.place(each) for each in places]
        yield f"{text!r} nothing", document.with_edits([]) is document
    long = _document("".join(f"l{n}\r\n" for n in range(9)))
    for number in range(10):
        for edits in (
            [LineEdit(number, 0, ("x",))],
            [LineEdit(number, 0, ()), LineEdit(9, 1, ("y",))],
            [LineEdit(number, 1, ())],
        ):
            yield f"long {edits}", (_told(long.with_edits(edits)), long.text_edits(edits))


def places_on_the_wire() -> Cases:
    for body in ("", "ab", "é🎉b", "\ud83d\ud83d\ude00x", "日本\ude00", "x\ud83d"):
        for encoding in ("utf-8", "utf-16", "utf-32"):
            columns = [column_of(body, character, encoding) for character in range(13)]
            yield f"{body!r} {encoding}", (columns, units(body, encoding))


def _blocks(lines: Lines) -> object:
    return [len(each) for each in lines.blocks], lines.starts, lines.n_bytes, lines.longest, tuple(lines.eols)


def lines_in_blocks() -> Cases:
    n = BLOCK_LINES
    for size in (0, 1, 2, n, 2 * n, 2 * n + 1, 3 * n + 1):
        lines = Lines.of(f"{number}\r\n" if number % 3 else f"é{number}\n" for number in range(size))
        yield f"{size}", _blocks(lines)
        edges = sorted({0, 1, min(n, size), max(size - 1, 0), size})
        for start, end in combinations_with_replacement(edges, 2):
            yield f"{size} {start}-{end}", (lines[start:end], lines[start:end:2], lines[-end:start])
            for new in ([], ["x\n"], ["y\n"] * (n + 2)):
                spliced = lines.spliced(start, end - start, new)
                compared = spliced == lines, lines == spliced, spliced.equals_but_for_ends(lines)
                gaps = [list(lines.gaps_to(spliced)), list(spliced.gaps_to(lines))]
                yield (
                    f"{size} {start}-{end} {len(new)}",
                    (_blocks(spliced), compared, gaps, hash("".join(spliced)) is None),
                )
                back = spliced.spliced(start, len(new), lines[start:end])
                yield (
                    f"{size} {start}-{end} back",
                    (back == lines, lines == back, back == tuple(lines), back == list(lines)),
                )
                ends = Lines.of(body_of(each) + "\n" for each in lines)
                yield f"{size} ends", (ends.equals_but_for_ends(lines), lines.equals_but_for_ends(back))
        yield f"{size} each", [tried(lambda: lines[at]) for at in (-size - 1, -size, -1, 0, size - 1, size)]  # noqa: B023
    twice = Lines.of(["a\n"] * (2 * n + 2))
    moved = twice.spliced(0, 1, []).spliced(2 * n + 1, 0, ["a\n"])
    yield (
        "repeated",
        (twice == moved, moved == twice, twice.equals_but_for_ends(moved), moved.equals_but_for_ends(twice)),
    )
    other = twice.spliced(0, 1, []).spliced(2 * n + 1, 0, ["b\n"])
    yield "not repeated", (twice == other, twice.equals_but_for_ends(other), twice == 3)


PATTERNS = (
    *(
        "*.pem",
        "a",
        "a/",
        "/a",
        "a/b",
        "a/*",
        "a/**",
        "**/b",
        "a/**/b",
        "**",
        "/",
        "",
        ".",
        "?",
        "[a-c]",
        "[!a]",
        "[^a]",
        "[]a]",
    ),
    *(
        "[a",
        "a[",
        "[[:digit:]]",
        "[[:upper:]]x",
        "[[:nope:]]",
        "[a-]",
        "[-a]",
        "[!]a]",
        "[a\\]b]",
        "[z-a]",
        "[[:alpha:][:digit:]]",
    ),
    *(
        "**/",
        "a//b",
        "./a",
        "A",
        "[A-B]",
        "x/**/**/y",
        "*/b",
        "a*b*c",
        "[[a]",
        "[a-c-e]",
        "[/]",
        "[!b]/c",
        "[[:space:]]",
        "[[:x",
    ),
)
PATHS = (
    *(
        "a",
        "b",
        "A",
        "c",
        "1",
        "x/a",
        "a/b",
        "a/b/c",
        "a/x/b",
        "x/y/a.pem",
        ".pem",
        "a.pem/x",
        "[",
        "[a",
        "]",
        "-",
        "a[",
        "axbyc",
    ),
    *(
        "x/y",
        "x/q/y",
        "a\\b",
        "/a",
        "./a",
        "é",
        "a.",
        "a. ",
        "a::$DATA",
        "a:b/b",
        "",
        " ",
        "Zx",
        "\\",
        "a]",
        "e",
        "[b]",
        "z",
        "!",
        "^",
    ),
)


def patterns_of_names() -> Cases:
    for pattern in PATTERNS:
        found = [first_match(path, [pattern]) is not None for path in PATHS]
        of_files = [first_match_of_file(path, [pattern]) is not None for path in PATHS]
        yield pattern, ("".join(".#"[each] for each in found), "".join(".#"[each] for each in of_files))
    for path in PATHS:
        yield (
            path,
            (
                first_match(path, PATTERNS[:8]),
                first_match(path, reversed(PATTERNS)),
                first_match_of_file(path, iter(["a", "b"])),
            ),
        )


def sets_of_characters() -> Cases:
    characters = [*map(chr, range(0x80)), "é", "\x85"]
    names = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit nope"
    for body in (
        *(f"[:{name}:]]x" for name in names.split()),
        *(each[1:] for each in PATTERNS if each[:1] == "["),
        *(
            "\\]]",
            "\\",
            "a\\-c]",
            "[:]x]",
            "[::]x]",
            "[:a]b]",
            "[:]",
            "[::]",
            "[:a",
            "[:digit:]-z]",
            "!",
            "^]",
            "!]]",
        ),
        *(
            "-]",
            "a-",
            "a-\\",
            "a-\\]",
            "--]",
            "a--]",
            "-a]",
            "A-]",
            "a-c-e]",
            "A-\\C]",
            "[:digit:",
            "[:x][:digit:]]",
            "a-]b",
            "A-Z]",
            "Y-[]",
            "a-a]",
        ),
    ):
        for folds, at in product((False, True), (0, 1)):
            read = read_set(body, at, folds_case=folds)
            held = "".join(each for each in characters if read and each in read[0])
            yield (
                f"{body} {folds} {at}",
                (held, read and read[1], read and sorted(read[0].singles), read and read[0].ranges),
            )
    yield "none", ["a" in CharacterSet(), "/" in CharacterSet(is_negated=True), CharacterSet().is_negated]


def patterns_of_paths() -> Cases:
    a = CharacterSet(frozenset("a"))
    items: list[list[Item]] = [
        ["a"],
        [a, "b"],
        [Star.IN_NAME],
        [Star.IN_PATH, "b"],
        [Star.FOLDERS, "a"],
        ["a", "/", Star.FOLDERS, Star.FOLDERS, "b"],
        [],
    ]
    patterns = PatternSet(Pattern(each, folders) for each in items for folders in (False, True))
    for path in ("", "a", "b", "ab", "a/b", "b/a", "a/x/b", "a/x/y/b", "/", "x/b", "abc", "//a"):
        state = patterns.after(patterns.start, path)
        for is_folder in (False, True):
            found = patterns.matches(state, is_folder=is_folder)
            yield f"{path} {is_folder}", (bin(found), found and (patterns.first(found), patterns.last(found)))
    many = PatternSet([Pattern([chr(0x100 + number)]) for number in range(600)])
    yield (
        "many",
        [
            many.matches(many.after(many.start, chr(0x100 + number)), is_folder=False)
            for number in (*range(600), 0)
        ],
    )
    yield "default", Pattern([]).is_for_folders


KEY = "ghp_Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5"
PEM = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nZq7Xw2Rt9Yk4Lm8Np3Vb6Hd1Sc5G\n-----END PRIVATE KEY-----\n"
HIDING = (
    *(
        "x = 1\n",
        f"a = '{KEY}'\n",
        f"b{KEY}c = 2; é'{KEY}'é",
        "password = 'k9Wm2Lx7'\nx = k9Wm2Lx7; y = k9Wm2Lx7z",
        PEM,
        "pw = 'p!q!r!'; p!q!r!",
    ),
    *(
        "secret = 'correct-Horse!staple'; correct-Horse!staple",
        "TS_SECRET_1_3fa ts-secret-2 ts...secret 3x",
        "  \n",
        "password='a1b2c3d'\na1b2c3d",
    ),
    *(
        f"https://{KEY}:{KEY}@h",
        f"Bearer {KEY} {KEY[:-1]}",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nZq7Xw2Rt\n-----END PRIVATE KEY-----\nx",
    ),
)


def placeholders() -> Cases:
    for scope, other in product(HIDING, HIDING):
        for more in ({}, {"prose": (other,)}, {"around": (other,)}, {"before": other.split("\n")[:3]}):
            found = Placeholders.of(scope, *(() if more else (other,)), word="3fa", **more)
            shown = (
                found.hide_in_scope(scope),
                found.hide(other),
                found.hide(other, is_prose=True),
                found.mask(other),
            )
            masked = found.mask(other, is_prose=True), found.mask(other, begins_in_key=True)
            back = [
                found.restore(each)
                for each in (*shown, "xTS_SECRET_1_3fa TS_SECRET_1_3fa TS_SECRET_9_3fa TS_SECRET_1_3fab")
            ]
            held = (
                found.values,
                sorted(found.needed),
                sorted(found.allowed),
                found.begins_in_key,
                found.ends_in_key,
            )
            damaged = [
                found.damaged(each)
                for each in ("", "x3FAx", "ts_secret_1", shown[0], scope, "TS_SECRET_2_3fb")
            ]
            yield f"{scope!r} {other!r} {sorted(more)}", (held, shown, masked, back, damaged)
    for text in (
        "x" * 255 + KEY,
        "x" * 300 + " " + KEY + "_" + "y" * 300,
        "ts" + "." * 9 + "secret1",
        "secret secret ts_secret_0",
    ):
        found = Placeholders.of(text, word="3fa")
        yield (
            text[-40:],
            (found.hide_in_scope(text), sorted(found.allowed), found.damaged(text + " ts-secret-7")),
        )
    frames = PEM.split("\n")
    for end, inside in product(range(len(frames) + 1), (False, True)):
        yield f"key {end} {inside}", ends_in_key(frames[:end], begins_inside=inside)
    for n in (399, 400, 401):
        yield (
            f"key of {n}",
            (
                ends_in_key(["x"] * n, begins_inside=True),
                ends_in_key(["-----BEGIN PRIVATE KEY-----", *["x"] * n]),
            ),
        )


def splices_at_landmarks() -> Cases:
    texts = ["", *("abcd", "abdc", "dcba", "axbxc", "aabb", "abab", "xaybzc", "cab", "bd", "ABCD", "adbc")]
    for old, new in product(texts, texts):
        lines = [f"{each}\n" for each in old]
        splice = Splice(1, max(len(lines) - 1, 0), tuple(f"{each}\r\n" for each in new))
        yield (
            f"{old} {new}",
            (
                cut_at_landmarks(lines, splice),
                cut_at_landmarks(["q\n", *lines], Splice(1, len(lines), splice.lines)),
            ),
        )
    for n in (4_999, 5_000, 5_001):
        lines = [f"{each}\n" for each in range(n)]
        yield (
            str(n),
            len(cut_at_landmarks(lines, Splice(0, n, ("x\n", *lines[:10], "y\n", *lines[10:4_998], "z\n")))),
        )


def names_and_words() -> Cases:
    for name in (
        "verifySSLCert",
        "get_HTTP2Response",
        "x",
        "A",
        "ÉtatCivil2",
        "__init__",
        "HTMLParser",
        "a1B2",
        "日本Go",
    ):
        yield name, (words_of(name), names_in(f"{name}(2x, y.{name})"))
    for text in ("", "ABC", "İX", "ßA", "Éa", "ΑΣ", "İΑΣ"):
        yield text, lower_case(text)
    for name in (
        "a.py",
        "A.PY",
        "x.tar.gz",
        ".py",
        "a.",
        "py",
        "a.b.cxx",
        "x.h",
        "x.kts",
        "noext",
        "dir.py/x",
    ):
        yield name, language_id_of(name)
    for sent in (
        *sorted(KNOWN)[::7],
        "C++",
        " sh ",
        "yaml.x",
        "x.yaml",
        "x.y.js",
        "x" * 100,
        "js" + "." * 98,
        "a" * 97 + ".js",
        "js." + "a" * 98,
    ):
        yield sent, canonical_language_id(sent)
    hidden = "a\u202eb\u200d\t\r\n\x00\ufeff👩\u200d👩\ufe0f\u200d\u200dx\U000e0041"
    yield "hidden", (make_visible(hidden), make_visible_in_line(hidden), make_visible_in_prose(hidden))


def symbols_of_a_file() -> Cases:
    depths = (0, 1, 1, 2, 1, 0, 1, 2, 0)
    symbols = tuple(
        Symbol("class", f"n{number}", "s", number, number + 1, depth) for number, depth in enumerate(depths)
    )
    file = FileSymbols("python", symbols, ("import a",))
    for number in range(len(depths)):
        yield (
            str(number),
            (file.owner_of(number), file.members_of(number), SymbolPlace("a.py", file, number).symbol),
        )
    for name in ("total", "Cart.total", "A::operator bool", "a->b", "module.exports.run", "x y", "(+)"):
        yield name, Symbol("value", name, "", 0, 1).word


GROUPS = (
    *(
        lines_and_ends,
        edits_of_lines,
        common_parts,
        documents_changed,
        places_on_the_wire,
        lines_in_blocks,
    ),
    *(
        patterns_of_names,
        sets_of_characters,
        patterns_of_paths,
        placeholders,
        splices_at_landmarks,
        names_and_words,
        symbols_of_a_file,
    ),
)


def rows(groups: Sequence[Callable[[], Cases]] = GROUPS) -> Iterator[str]:
    """Yield the rows of some groups."""
    for group in groups:
        cases = list(group())
        for at in range(0, len(cases), 200):
            part = cases[at : at + 200]
            yield f"{group.__name__}-{at} {len(part)} {crc32(repr(part).encode('utf-8', 'surrogatepass')):08x}"


def main(names: Sequence[str]) -> None:
    """Print the cases of some rows, or write all rows."""
    for name in names:
        title, _, at = name.rpartition("-")
        for group in GROUPS:
            if group.__name__ == title:
                for case, result in list(group())[int(at) : int(at) + 200]:
                    print(f"{case}\n    {result!r}")
    if not names:
        FILE.write_text("".join(f"{row}\n" for row in rows()), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
