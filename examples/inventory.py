"""Stock of a small bicycle shop: what is on the shelf, what it is worth, what to order."""

from dataclasses import dataclass


@dataclass
class Part:
    """One kind of part on the shelf."""

    sku: str
    name: str
    price: float
    on_hand: int
    reorder_at: int = 5


def line_total(price, count, discount=0.0):
    # ai: add a docstring
    return round(price * count * (1 - discount), 2)


def describe(part):
    state = "low" if part.on_hand <= part.reorder_at else "ok"
    return f"{part.sku}: {part.name}, {part.on_hand} on hand ({state})"


class Stock:
    """The parts on the shelf, by SKU."""

    def __init__(self, parts):
        self.parts = {part.sku: part for part in parts}

    def take(self, sku, count=1):
        part = self.parts[sku]
        part.on_hand -= count
        return part.price * count

    def put(self, sku, count=1):
        self.parts[sku].on_hand += count

    def value(self):
        total = 0
        for part in self.parts.values():
            total = total + part.price * part.on_hand
        return total

    def to_order(self, budget):
        orders = []
        for part in self.parts.values():
            if part.on_hand <= part.reorder_at:
                cost = part.price * part.reorder_at
                if cost <= budget:
                    orders.append((part.sku, part.reorder_at))
                    budget -= cost
        return orders

    def __len__(self):
        return len(self.parts)


def load_parts(path):
    parts = []
    file = open(path)
    for line in file:
        sku, name, price, on_hand = line.split(",")
        parts.append(Part(sku, name, float(price), int(on_hand)))
    return parts


def report(stock):
    for part in stock.parts.values():
        print(describe(part))
    print("worth", stock.value())
