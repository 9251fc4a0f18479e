"""Explaining comments are accepted if the author writes many, if little is lost, or if they reword old ones."""

from __future__ import annotations

from tests.stream.answers.test_rewrites import refusal

EXPLAINED = [
    (
        "comments in four places",
        "#",
        """\
def settle(orders, rates, out):
    rows = []
    for order in orders:
        rate = rates.get(order.currency, 1)
        amount = order.total * rate
        rows.append((order.id, amount))
    out.write(HEADER)
    for row in sorted(rows):
        out.write(row)
    out.flush()
    if out.failed:
        out.retry()
    return len(rows)
""",
        """\
def settle(orders, rates, out):
    # Najpierw waluty, potem kwoty
    by_id = {each.id: each for each in orders}
    factors = {code: Decimal(value) for code, value in rates.items()}
    sums = {key: each.total * factors[each.currency] for key, each in by_id.items()}
    out.write(HEADER)
    # Kolejność jest stała
    for key in sorted(sums):
        out.write((key, sums[key]))
    # Bufor jest mały
    out.flush()
    if out.failed:
        # Jedna próba wystarczy
        out.retry()
    return len(sums)
""",
    ),
    (
        "more lines than are lost, and a comment where none is",
        "//",
        """\
export function group(rows: Row[], limit: number) {
  const out = new Map<string, Row[]>();
  for (const row of rows) {
    out.set(row.key, [...(out.get(row.key) ?? []), row]);
  }
  report(out);
  return out;
}
""",
        """\
export function group(rows: Row[], limit: number) {
  const out = new Map<string, Row[]>();
  // Ein Durchlauf genügt
  let seen = 0;
  while (seen < rows.length) {
    const next = rows[seen++];
    const list = out.get(next.key);
    if (list) {
      list.push(next);
    } else {
      out.set(next.key, [next]);
    }
  }
  report(out);
  // Zu viele sind verdächtig
  if (out.size > limit) {
    warn(out.size);
  }
  return out;
}
""",
    ),
    (
        "the same work under the same names",
        "//",
        """\
func Save(store Store, item Item, user User) error {
	defer trace("save")
	record := Record{Key: item.Key, Owner: user.Name}
	payload, err := encode(record, item.Body)
	if err != nil {
		return wrap(err, item.Key)
	}
	store.Lock(item.Key)
	store.Put(item.Key, payload)
	store.Unlock(item.Key)
	audit(user)
	return nil
}
""",
        """\
func Save(store Store, item Item, user User) error {
	defer trace("save")
	// 失敗したら鍵を添えて返す
	failed := store.Within(item.Key, func(room Room) error {
		buffer, full := room.Buffer(), false
		if full = buffer.Encode(user.Name, item.Body); full {
			return fmt.Errorf("%s of %s: too long", item.Key, user.Name)
		}
		payload := buffer.Bytes()
		room.Put(payload)
		return buffer.Close()
	})
	audit(user)
	return failed
}
""",
    ),
    (
        "an old comment in other words",
        "#",
        """\
def heat(maps, index)
  scale = 2
  # Make sure the map is an array of floats
  if maps[index].is_a?(Tensor)
    map = maps[index].to_a.map(&:to_f)
  elsif maps[index].nil?
    map = Array.new(SIZE, 0.0)
  else
    map = maps[index].map { |cell| cell.to_f }
  end
  draw(map, scale)
  scale
end
""",
        """\
def heat(maps, index)
  scale = 2
  # Make sure map is a float array
  map = maps[index].then { Floats.of(it) }
  draw(map, scale)
  scale
end
""",
    ),
    (
        "two lines for two",
        "//",
        """\
    public function rate(string $code): float
    {
        $this->log($code);
        $url = self::BASE . '/rates/' . $code;
        return (float) file_get_contents($url);
    }
""",
        """\
    public function rate(string $code): float
    {
        $this->log($code);
        // Der Dienst antwortet langsam
        $answer = $this->client->get(['path' => $code, 'timeout' => 2]);
        return $answer->number();
    }
""",
    ),
    (
        "parameters that are taken apart",
        "//",
        """\
  get total() {
    var sum = 0;
    for (var i = 0; i < this.lines.length; i++) {
      sum = sum + this.lines[i].product.price * this.lines[i].quantity;
    }
    return sum;
  }
""",
        """\
  get total() {
    // The price of a line is that of its product.
    return this.lines.reduce((sum, { product, quantity }) => sum + product.price * quantity, 0);
  }
""",
    ),
]

LEFT_OUT = [
    (
        "above a branch",
        "//",
        """\
function visit(path, kind) {
  if (kind === 'file') {
    open(path);
  } else if (kind === 'folder') {
    const names = list(path);
    names.sort(byAge);
    pending.push(...names);
  }
}
""",
        """\
function visit(path, kind) {
  if (kind === 'file') {
    open(path);
  // folders are pending as before
  } else if (kind === 'link') {
    pending.push(target(path));
  }
}
""",
    ),
    (
        "at the end of a block",
        "#",
        """\
def merge(request, session, make):
    if request is None:
        return session
    merged = make(session)
    merged.update(request)
    return merged
""",
        """\
def merge(request, session, make):
    if request is None:
        # the session items as before
    merged = make(session.items())
    return merged
""",
    ),
    (
        "a comment without a word",
        "#",
        """\
def heat(maps, index)
  rows = maps[index].rows
  rows.each { |row| row.normalize(index) }
  rows.sort_by!(&:first)
  cells = rows.flatten
  plot(cells, maps)
end
""",
        """\
def heat(maps, index)
  # --
  maps[index].rows.reject!(&:nil?)
end
""",
    ),
    (
        "two lines whose variable is used below",
        "#",
        """\
def name_of(user)
  parts = [user.first, user.last]
  full = parts.compact.join(" ")
  log(full)
end
""",
        """\
def name_of(user)
  # full name of the user
  log(full.strip)
end
""",
    ),
    (
        "a lazy author in four places",
        "//",
        """\
class Cart {
  add(item) {
    this.items.push(item);
    this.total += item.price;
    this.changed(item);
  }
  remove(item) {
    this.items.delete(item);
    this.total -= item.price;
    this.changed(item);
  }
  clear() {
    this.items.clear();
    this.total = 0;
    this.changed(null);
  }
  pay(card) {
    card.charge(this.total);
    this.clear();
    return card.receipt();
  }
}
""",
        """\
class Cart {
  add(item) {
    // wie gehabt
  }
  remove(item) {
    // unverändert
  }
  clear() {
    // siehe oben
  }
  pay(card) {
    // Rabatt abziehen
    card.charge(this.total * 0.9);
    this.clear();
    return card.receipt();
  }
}
""",
    ),
]


def test_comments_that_explain_new_code_are_accepted() -> None:
    refused = [name for name, marker, old, new in EXPLAINED if refusal(old, new.rstrip("\n"), marker)]
    assert not refused


def test_comments_in_place_of_new_code_are_refused() -> None:
    """The answers of the test above, without the new code in their first changed block."""
    accepted = []
    for name, marker, old, new in EXPLAINED:
        lines, kept = new.splitlines(), set(old.splitlines())
        at = next(at for at, line in enumerate(lines) if line.strip().startswith(marker) and line not in kept)
        below = next(to for to in range(at + 1, len(lines)) if lines[to] in kept)
        if not refusal(old, "\n".join([*lines[: at + 1], *lines[below:]]), marker):
            accepted.append(name)
    assert not accepted


def test_comments_without_code_to_explain_are_refused_whatever_words_they_share() -> None:
    accepted = [
        name for name, marker, old, new in LEFT_OUT if refusal(old, new.rstrip("\n"), marker) != "elided"
    ]
    assert not accepted


DOCSTRING = """\
def shape_of(tensor, axes):
    '''Return the shape of a tensor.

    The axes are counted from the left.
    Negative ones count from the right.

    Raise ValueError for an axis that is not there.
    '''
    return tuple(tensor.shape[axis] for axis in axes)
"""


def test_a_list_of_examples_with_an_ellipsis_is_accepted() -> None:
    for line in ("The result is (rows, columns, ...).", "Name axes as in {0: (1, 2, \u2026)}."):
        answer = DOCSTRING.replace("Negative ones count from the right.", line)
        assert not refusal(DOCSTRING, answer.rstrip("\n"), "#")


def test_an_ellipsis_outside_a_list_is_refused() -> None:
    for line in (
        "# (the axes, ...)",
        "# the axes, ...",
        "# other code (as before ...)",
    ):
        answer = (
            f"def shape_of(tensor, axes):\n    {line}\n    return tuple(tensor.shape[axis] for axis in axes)"
        )
        assert refusal(DOCSTRING, answer, "#") == "elided", line
