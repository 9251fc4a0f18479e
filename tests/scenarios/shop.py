"""A small document, an edit of its first function, and the document after it."""

TEXT = """\
import math


def total(items):
    result = 0
    for item in items:
        result += item.price
    return result


def area(radius):
    return math.pi * radius**2
"""
OLD = TEXT[TEXT.index("def total") : TEXT.index("\n\ndef area")]
NEW = OLD.replace("item.price", "item.price * item.count").replace("result", "amount")
EDITED = TEXT.replace(OLD, NEW)
