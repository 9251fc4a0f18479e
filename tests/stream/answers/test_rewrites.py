"""A rewritten block below a comment is an edit; code that continues after an omission is not."""

from __future__ import annotations

import pytest

from twospeed.stream import EditStream, Surroundings


def refusal(old: str, new: str, marker: str, instruction: str = "") -> str | None:
    """Stream a block; return the code of the refusal, if any."""
    stream = EditStream(old.splitlines(), Surroundings((marker,), fence="```", instruction=instruction))
    stream.receive_text(f"```\n{new}\n```\n")
    stream.finish("stop")
    return stream.refusal.code if stream.refusal else None


RUST_TOTAL = """\
fn total(items: &[Item]) -> u32 {
    let mut sum = 0;
    for item in items {
        if item.active {
            sum += item.price * item.qty;
        }
    }
    sum
}"""

REWRITTEN = {
    "go": (
        "//",
        """\
func contains(list []string, word string) bool {
	for _, each := range list {
		if each == word {
			return true
		}
	}
	return false
}""",
        """\
func contains(list []string, word string) bool {
	// the standard library has had this since 1.21
	return slices.Contains(list, word)
}""",
    ),
    "rust": (
        "//",
        RUST_TOTAL,
        """\
fn total(items: &[Item]) -> u32 {
    // inactive ones are free
    items.iter().filter(|i| i.active).map(|i| i.price * i.qty).sum()
}""",
    ),
    "csharp": (
        "//",
        """\
    public IEnumerable<string> Names()
    {
        var names = new List<string>();
        foreach (var user in users)
        {
            if (user.Active)
            {
                names.Add(user.Name);
            }
        }
        return names;
    }""",
        """\
    public IEnumerable<string> Names()
    {
        // Lazy: callers may stop early.
        return users.Where(u => u.Active).Select(u => u.Name);
    }""",
    ),
    "lua": (
        "--",
        """\
function M.sum(list)
  local total = 0
  for i = 1, #list do
    total = total + list[i].price
  end
  return total
end""",
        """\
function M.sum(list)
  -- works on any iterable
  return fold(list, 0, function(a, b) return a + b.price end)
end""",
    ),
    "shell": (
        "#",
        """\
backup() {
    for f in "$SRC"/*.txt; do
        cp "$f" "$DST"
        gzip "$DST/$(basename "$f")"
        echo "$f"
    done
}""",
        """\
backup() {
    # one archive instead of many
    tar -czf "$DST/all.tgz" "$SRC"/*.txt
}""",
    ),
    "elixir": (
        "#",
        """\
  def total(items) do
    items
    |> Enum.map(fn i -> i.price end)
    |> Enum.reduce(0, fn p, acc -> p + acc end)
    |> round()
  end""",
        """\
  def total(items) do
    # cheaper in one pass
    Enum.sum_by(items, & &1.price) |> round()
  end""",
    ),
}

LEFT_OUT = {
    "python": (
        "#",
        """\
def describe(data):
    temperature = data["current"]["temp"]
    if temperature < 0:
        word = "freezing"
    elif temperature < 15:
        word = "cool"
    else:
        word = "warm"
    return word""",
        """\
def describe(data, unit):
    # look the word up
    return word + unit""",
    ),
    "go": (
        "//",
        """\
func load(path string) ([]Row, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := parse(f)
	if err != nil {
		return nil, err
	}
	return rows, nil
}""",
        """\
func load(path string) ([]Row, error) {
	// open and parse the file
	log.Printf("loaded %s", path)
	return rows, nil
}""",
    ),
    "java": (
        "//",
        """\
    public int countWords(String text) {
        int count = 0;
        boolean inside = false;
        for (char c : text.toCharArray()) {
            if (Character.isWhitespace(c)) {
                inside = false;
            } else if (!inside) {
                inside = true;
                count++;
            }
        }
        return count;
    }""",
        """\
    public int countWords(String text) {
        // count the words as usual
        return Math.min(count, 100);
    }""",
    ),
    "javascript": (
        "//",
        """\
async function save(user) {
  const body = JSON.stringify(user);
  const res = await fetch(url, { method: "POST", body });
  if (!res.ok) {
    throw new Error(res.statusText);
  }
  return res.json();
}""",
        """\
async function save(user) {
  // send it
  return await res.json();
}""",
    ),
    "rust": (
        "//",
        RUST_TOTAL,
        """\
fn total(items: &[Item]) -> u32 {
    // same summation
    sum.min(1000)
}""",
    ),
}


@pytest.mark.parametrize("language", REWRITTEN)
def test_a_comment_above_a_block_rewritten_with_the_same_names_is_accepted(language: str) -> None:
    marker, old, new = REWRITTEN[language]
    assert refusal(old, new, marker) is None


@pytest.mark.parametrize("language", LEFT_OUT)
def test_a_comment_above_code_that_uses_missing_names_is_refused(language: str) -> None:
    marker, old, new = LEFT_OUT[language]
    assert refusal(old, new, marker) == "elided"


def test_an_ellipsis_in_a_rewritten_block_is_refused() -> None:
    marker, old, new = REWRITTEN["rust"]
    assert refusal(old, new.replace("inactive ones are free", "... as before"), marker) == "elided"


def test_a_comment_in_a_block_with_an_old_line_is_refused() -> None:
    marker, old, new = REWRITTEN["rust"]
    kept = new.removesuffix("}") + "    return sum;\n        if item.active {\n        }\n}"
    assert refusal(old, kept, marker) == "elided"


STUB = "def describe(data):\n    # {}\n    raise NotImplementedError"


@pytest.mark.parametrize(
    ("instruction", "comment"),
    [
        ("leave a TODO", "TODO: words from a table"),
        ("a fixme and nothing else", "FIXME(anna)"),
        ("empty it with the comment 'see the wiki'", "see the wiki"),
    ],
)
def test_a_stub_is_accepted_if_the_instruction_names_its_comment(instruction: str, comment: str) -> None:
    old = LEFT_OUT["python"][1]
    assert refusal(old, STUB.format(comment), "#", instruction) is None
    assert refusal(old, STUB.format(comment), "#", "rename data") == "elided"


@pytest.mark.parametrize("comment", ["the rest is unchanged", "REST unchanged", "... TODO", "(todo)"])
def test_a_comment_that_only_shares_words_with_the_instruction_is_refused(comment: str) -> None:
    instruction = "rename data, the rest is unchanged, leave the todo"
    assert refusal(LEFT_OUT["python"][1], STUB.format(comment), "#", instruction) == "elided"


def test_a_reworded_comment_with_an_old_ellipsis_is_accepted() -> None:
    old = "    # Do what browsers do if strict is off...\n    if not strict:\n        move(request)\n        drop(body)\n    done()"
    new = "    # Do what browsers do, despite standards...\n    move(request)\n    drop(body)\n    done()"
    assert refusal(old, new, "#") is None
    assert refusal(old, "    # ...\n    done()", "#") == "elided"


def test_a_patch_may_replace_listed_lines_by_a_comment() -> None:
    old = "\n".join(f"value_{number} = {number}" for number in range(9))
    gone = "\n".join(old.splitlines()[2:7])
    for comment, code in (("# generated by cog", None), ("# [[[end]]]", None), ("# ... as before", "elided")):
        patch = f"<<<<<<< SEARCH\n{gone}\n=======\n{comment}\n>>>>>>> REPLACE"
        stream = EditStream(old.splitlines(), Surroundings(("#",)))
        stream.receive_text(patch)
        stream.finish("stop")
        assert (stream.refusal.code if stream.refusal else None) == code
