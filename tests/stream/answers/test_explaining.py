"""A comment that explains new code is recognized by its place; a comment in place of code is not one."""

from __future__ import annotations

from tests.stream.answers.test_rewrites import refusal

PYTHON_OLD = """\
def report(rows, path):
    # Collect what is paid
    paid = []
    for row in rows:
        if row.paid:
            paid.append(row.amount)
    total = sum(paid)
    log.info("%s", total)
    with open(path, "w") as file:
        file.write(str(total))
"""

GO_OLD = """\
func Report(rows []Row, out io.Writer) error {
	// Count the rows by state.
	byState := map[string]int{}
	for _, row := range rows {
		byState[row.State]++
	}
	keys := sortedKeys(byState)
	for _, key := range keys {
		fmt.Fprintln(out, key)
	}
	return nil
}
"""

RUBY_OLD = """\
def slugs(posts, cache)
  # Titles come from users
  seen = {}
  posts.each do |post|
    slug = post.title.downcase
    seen[slug] = post
  end
  warm(cache)
  cache.flush
end
"""

SQL_OLD = """\
SELECT name
FROM customers
-- Only those who bought something
WHERE id IN (
    SELECT customer_id
    FROM orders
    WHERE total > 0
)
ORDER BY name;
"""

RUST_OLD = """\
fn load(path: &Path, limit: usize) -> Vec<String> {
    let file = File::open(path).unwrap();
    // Keep only short lines
    let mut lines = Vec::new();
    for line in BufReader::new(file).lines() {
        let line = line.unwrap();
        if line.len() < limit {
            lines.push(line);
        }
    }
    audit(&lines);
    lines
}
"""

JAVA_OLD = """\
    void send(List<Mail> mails, Server server) {
        // Connect first
        Socket socket = server.connect();
        for (Mail mail : mails) {
            socket.write(mail.body());
        }
        socket.close();
        metrics.count(mails.size());
        log.debug("sent");
    }
"""

EXPLAINED = [
    (
        "python",
        "#",
        PYTHON_OLD,
        """\
def report(rows, path):
    # Суммируем оплаченное без промежуточного списка
    open_rows = filter(is_open, rows)
    shares = [each.share for each in open_rows]
    amounts = [each.amount for each in rows]
    exact = sum(map(operator.mul, amounts, shares))
    rounded = decimal.Decimal(exact)
    total = round(rounded, 2)
    log.info("%s", total)
    with open(path, "w") as file:
        file.write(str(total))
""",
    ),
    (
        "go",
        "//",
        GO_OLD,
        """\
func Report(rows []Row, out io.Writer) error {
	// nothing here depends on order
	names := make(map[string]struct{}, len(rows))
	for index := range rows {
		state := rows[index].State
		names[state] = struct{}{}
	}
	ordered := slices.Collect(maps.Keys(names))
	slices.Sort(ordered)
	for _, each := range ordered {
		fmt.Fprintln(out, each)
	}
	return nil
}
""",
    ),
    (
        "ruby",
        "#",
        RUBY_OLD,
        """\
def slugs(posts, cache)
  # Die Hilfsmethode kann auch Umlaute
  by_slug = Hash.new
  for each in posts
    title = each.title
    next if title.nil?
    by_slug.store(title.parameterize, each)
  end
  warm(cache)
  cache.flush
end
""",
    ),
    (
        "sql",
        "--",
        SQL_OLD,
        """\
SELECT name
FROM customers
-- a semi-join is enough here
WHERE EXISTS (
    SELECT 1
    FROM orders AS o
    WHERE o.customer_id = customers.id
      AND o.total <> 0
)
ORDER BY name;
""",
    ),
    (
        "rust",
        "//",
        RUST_OLD,
        """\
fn load(path: &Path, limit: usize) -> Vec<String> {
    let file = File::open(path).unwrap();
    // an iterator borrows nothing
    let lines: Vec<String> = BufReader::new(file)
        .lines()
        .map(Result::unwrap)
        .filter(|each| each.len() < limit)
        .take_while(|each| !each.is_empty())
        .collect();
    audit(&lines);
    lines
}
""",
    ),
    (
        "java",
        "//",
        JAVA_OLD,
        """\
    void send(List<Mail> mails, Server server) {
        // one try block closes it in all cases
        try (Channel channel = server.connect()) {
            Iterator<Mail> rest = mails.iterator();
            channel.open();
            while (rest.hasNext()) {
                channel.write(rest.next().body());
            }
        }
        metrics.count(mails.size());
        log.debug("sent");
    }
""",
    ),
]

LEFT_OUT = [
    ("a phrase that names what is above", "#", PYTHON_OLD, "paid = []", "total = sum(paid)", "# Collect paid rows"),
    ("prose about the branch", "//", GO_OLD, "byState := map", "keys :=", "// States are counted as before"),
    ("a doc comment", "#", RUBY_OLD, "posts.each", "warm(cache)", "# Slugs of posts stay the same"),
    ("another language", "--", SQL_OLD, "WHERE id IN", "ORDER BY", "-- wie bisher"),
    ("a block comment", "//", RUST_OLD, "let mut lines", "audit", "/* lines are read here */"),
    ("the end", "//", JAVA_OLD, "socket.close();", "    }\n", "// close and count as above"),
]  # fmt: skip


def test_a_comment_above_code_that_replaces_the_lost_lines_is_accepted() -> None:
    refused = [name for name, marker, old, new in EXPLAINED if refusal(old, new.rstrip("\n"), marker)]
    assert not refused


def test_a_comment_in_place_of_the_replacing_code_is_refused() -> None:
    """The answers of the test above, without the code below the comment."""
    accepted = []
    for name, marker, old, new in EXPLAINED:
        lines = new.splitlines()
        at = next(at for at, line in enumerate(lines) if line not in old and line.strip().startswith(marker))
        kept = [line for line in lines[at + 1 :] if line in old.splitlines()]
        rest = kept[-2:] if marker == "#" else kept[-1:]
        if refusal(old, "\n".join([*lines[: at + 1], *rest]), marker) != "elided":
            accepted.append(name)
    assert not accepted


def test_a_comment_in_place_of_lines_is_refused_next_to_new_code_and_explanations() -> None:
    """The old comment is gone, other code is new, and a second comment explains it: nothing replaces the
    lines.
    """
    accepted = []
    for name, marker, old, start, end, comment in LEFT_OUT:
        head, tail = old.index(start), old.rindex(end)
        column = old.rfind("\n", 0, head) + 1
        indent = old[column:head]
        answer = f"{old[:column]}{indent}{comment}\n{indent}extra({marker != '#'})\n{old[old.rfind(chr(10), 0, tail) + 1 :]}"
        if refusal(old, answer.rstrip("\n"), marker) != "elided":
            accepted.append(name)
    assert not accepted


USED_BELOW = [
    (
        "a constant that shares a word with the comment",
        "//",
        """\
  throw: function(msg, status){
    if ('number' == typeof msg) {
      var tmp = msg;
      msg = status || http.STATUS_CODES[tmp];
      status = tmp;
    }

    var err = msg instanceof Error ? msg : new Error(msg);
    err.status = status || err.status || 500;
    err.expose = err.status < 500;
    throw err;
  },
""",
        """\
  throw: function(msg, status){
    // existing code here
    err.expose = http.STATUS_CODES[err.status] && err.status < 500;
    throw err;
  },
""",
    ),
    (
        "a total",
        "#",
        PYTHON_OLD,
        """\
def report(rows, path):
    # total as before
    total = total * rate
    with open(path, "w") as file:
        file.write(f"total: {total}")
""",
    ),
    (
        "sorted keys",
        "//",
        GO_OLD,
        """\
func Report(rows []Row, out io.Writer) error {
	// keys of the states, sorted
	for _, key := range keys {
		fmt.Fprintf(out, "%s: %d\\n", key, byState[key])
	}
	return nil
}
""",
    ),
    (
        "lines of a file",
        "//",
        RUST_OLD,
        """\
fn load(path: &Path, limit: usize) -> Vec<String> {
    // the short lines of the file
    audit(&lines, limit);
    lines
}
""",
    ),
    (
        "a socket",
        "//",
        JAVA_OLD,
        """\
    void send(List<Mail> mails, Server server) {
        // write the mails to the socket
        socket.flush();
        socket.close();
        metrics.count(mails.size());
        log.debug("sent");
    }
""",
    ),
]


def test_a_comment_above_code_that_uses_lost_names_is_refused_despite_shared_words() -> None:
    accepted = [name for name, marker, old, new in USED_BELOW if not refusal(old, new.rstrip("\n"), marker)]
    assert not accepted
