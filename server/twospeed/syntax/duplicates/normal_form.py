"""Write a function in a normal form, so that functions can be compared for duplicates (`duplicate_functions`).

The form does not depend on the names of variables and the kind of loops. *Words* are what a rewrite keeps: names from
outside, attributes, strings, numbers, operators. *Shapes* are small expressions with labels: ``$`` for a variable,
``$0``, ``$1``, … for parameters, ``$f`` for the function itself. For example::

    def total(items, tax=0.2):
        return sum(item.price * tax for item in items if not item.free)

    words   0.2  .free  sum  .price  *
    shapes  each($0)  .free($)  test(.free)  .price($)  *($1, .price)  sum(*)

A loop that adds the same values has the same form. The labels of shapes are:

    each    a collection that is iterated by a ``for``, a comprehension, ``map`` or a counting ``while``
    each<   the end of a counting loop without a collection
    test    a condition, or one side of an ``and``; negation is dropped
    out     a value that is appended, yielded or collected by a comprehension
    sum     a value that is added to a variable; ``x = x + e`` is ``x += e``
    pair    a key and a value of a dictionary
    set     an attribute or item with its new value
    return  a returned value
    choice  a conditional, as a part of another shape
    others  an operator, ``.attribute``, ``keyword=``, ``function()``, ``[]``, or the type of a tree-sitter node
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from .function_parts import (
    ASSIGNMENTS,
    ATTRIBUTES,
    BINARY,
    CALLS,
    COMPREHENSIONS,
    CONDITIONALS,
    FUNCTIONS,
    LOOPS,
    NAMES,
    STRINGS,
    SUBSCRIPTS,
    WHILES,
    Part,
    augmentation_of,
    call_of,
    indexed_collection_of,
    is_initial_value,
    length_owner_of,
    literal,
    operator_of,
    serialized,
    unparenthesized,
    variables_of,
)

_APPENDING = frozenset({"append", "add", "push", "push_back", "emplace_back", "Add"})
_MAPPING = frozenset({"map", "flatMap", "forEach", "for_each", "filter", "some", "every", "any", "all"})
_TESTING = frozenset({"filter", "some", "every", "any", "all"})
_TRANSPARENT_ITERATORS = frozenset({"iter", "enumerate", "list", "tuple"})
_COMMUTATIVE = frozenset({"==", "!=", "*", "or"})
"""Operators whose sides are sorted. ``+`` also joins texts, and ``and`` has no shape."""

_SUFFIXES_WITHOUT_SHAPE = (
    *("statement", "block", "clause", "body"),
    *("list", "declaration", "_definition", "arguments"),
)
"""Ends of the types of nodes that only group others."""


class NormalForm:
    """The words and shapes of a function, as lists, so repeated ones count."""

    def __init__(self, function: Part, bound: Iterable[str]) -> None:
        self.words: list[str] = []
        self.shapes: list[str] = []
        self.has_logic = False  # whether it has a loop, a condition or a computation
        self._iterated: set[str] = set()  # serialized collections
        self.words += function.text.split()  # ``text`` of the function node holds modifiers such as ``async``
        self._names = variables_of(function, bound)
        for inner in function.parts:
            if inner.field not in ("name", "parameters", "receiver", "declarator"):
                self._read(inner)
            elif inner.field == "parameters":
                for parameter in inner.parts:
                    self._read_default(parameter)

    def _read_default(self, parameter: Part) -> None:
        value = parameter.get("value", "right")
        if value and not is_initial_value(value):
            self._read(value)

    # `_read` and the rules return the label of a part in the shape that contains it; `_record_…` methods add a shape.

    def _read(self, part: Part) -> str:
        part = unparenthesized(part)
        if not part.parts:
            return self._leaf(part)
        rule = self._RULES.get(part.type)
        return rule(self, part) if rule else self._any_other(part)

    def _leaf(self, part: Part) -> str:
        if part.type in NAMES and (part.binds or part.text in self._names):
            return "$" if part.binds else self._names[part.text]
        text = literal(part)
        if part.text and not is_initial_value(part):
            self.words.append(text)
        return text or part.type

    def _any_other(self, part: Part) -> str:
        label = literal(part) if part.type in STRINGS else part.type + part.text
        if part.type in STRINGS:
            self.words.append(label)
        children = [self._read(inner) for inner in part.parts]
        if not part.type.endswith(_SUFFIXES_WITHOUT_SHAPE):
            self._record_shape(label, *children)
        return label

    def _record_shape(self, label: str, *children: str) -> None:
        self.shapes.append(f"{label}({', '.join(children)})")

    def _read_all(self, parts: Sequence[Part]) -> None:
        for part in parts:
            self._read(part)

    # Names

    def _attribute(self, part: Part) -> str:
        owner, name = part.parts[0], part.parts[-1]
        self.words.append(f".{name.text}")
        self._record_shape(f".{name.text}", self._read(owner))
        return f".{name.text}"

    def _subscript(self, part: Part) -> str:
        owner, *indices = [self._read(inner) for inner in part.parts]
        self._record_shape("[]", owner, *indices)
        return f"[{', '.join(indices)}]"  # distinguishes ``x[0]`` from ``x[1]``; the owner is in the shape

    def _keyword(self, part: Part) -> str:
        name, value = part.parts[0], part.parts[-1]
        self.words.append(f"{name.text}=")
        self._record_shape(f"{name.text}=", self._read(value))
        return f"{name.text}="

    # Loops

    def _loop(self, part: Part) -> str:
        iterable = part.get("right", "value")
        if iterable is None:
            return self._while(part)
        self.has_logic = True
        self._record_each(iterable)
        others = (inner for inner in part.parts if inner is not iterable)
        self._read_all([inner for inner in others if inner.field not in ("left", "name", "pattern")])
        return "each"

    def _record_each(self, iterable: Part) -> None:
        iterable = unparenthesized(iterable)
        while (call := call_of(iterable)) and call[0].text in _TRANSPARENT_ITERATORS and len(call[1]) == 1:
            iterable = unparenthesized(call[1][0])
        if (call := call_of(iterable)) and call[0].text == "range" and call[1]:
            *start, end = call[1][:2]
            self._read_all([value for value in start if not is_initial_value(value)])
            self._record_count_to(end)
            return
        self._iterated.add(serialized(iterable))
        self._record_shape("each", self._read(iterable))

    def _record_count_to(self, end: Part) -> None:
        if iterable := length_owner_of(unparenthesized(end)):
            self._record_each(iterable)
        else:
            self._record_shape("each<", self._read(end))

    def _while(self, part: Part) -> str:
        self.has_logic = True
        condition = part.get("condition")
        for inner in part.parts:
            if inner is condition:
                self._while_condition(unparenthesized(inner))
            elif inner.field not in ("initializer", "init", "increment", "update"):
                self._read(inner)
        return "each"

    def _while_condition(self, condition: Part) -> None:
        if is_initial_value(condition) or condition.text == "1":  # while True, while (1)
            return
        sides = [unparenthesized(inner) for inner in condition.parts]
        # A counting loop: while i < len(xs)
        if operator_of(condition) == "<" and len(sides) == 2 and self._is_variable(sides[0]):  # noqa: PLR2004 - two sides
            self._record_count_to(sides[1])
        else:
            self._record_test(condition)

    def _comprehension(self, part: Part, collect: Callable[[Part], None] | None = None) -> str:
        body, *clauses = part.parts
        self._read_all(clauses)
        body = unparenthesized(body)
        if body.type == "pair":
            self._record_pair(body.parts[0], body.parts[-1])
        else:
            (collect or self._record_out)(body)
        return "$"

    def _record_out(self, part: Part) -> None:
        self._record_shape("out", self._read(part))

    def _record_sum(self, part: Part) -> None:
        part = unparenthesized(part)
        if part.text != "1":  # += 1 only counts
            self.words.append("sum")
            self._record_shape("sum", self._read(part))

    def _record_pair(self, key: Part, value: Part) -> None:
        self._record_shape("pair", self._read(key), self._read(value))

    # Conditions

    def _if(self, part: Part) -> str:
        condition = part.get("condition")
        if condition is None:
            condition = part.parts[1] if part.type == "conditional_expression" else part.parts[0]
        self._record_test(condition)
        self._read_all([inner for inner in part.parts if inner is not condition])
        return "choice"

    def _record_test(self, part: Part) -> None:
        self.has_logic = True
        part = unparenthesized(part)
        # Negation is dropped: ``if not x: continue`` and ``if x:`` around the rest of a loop do the same.
        while part.type == "not_operator" or (part.type == "unary_expression" and part.text == "!"):
            part = unparenthesized(part.parts[0])
        if operator_of(part) == "and":
            for side in part.parts:  # as two nested ``if``
                self._record_test(side)
            return
        self._record_shape("test", self._read(part))

    # Values

    def _binary(self, part: Part) -> str:
        operator = operator_of(part)
        self.has_logic = True
        sides = [self._read(inner) for inner in part.parts]
        if operator in _COMMUTATIVE:
            sides.sort()
        if operator != "and":
            self.words.append(operator)
            self._record_shape(operator, *sides)
        return operator

    def _assign(self, part: Part) -> str:
        target, value = part.get("left", "name", "declarator", "pattern"), part.get("right", "value")
        if target is None or value is None:
            return "$"
        target, value = unparenthesized(target), unparenthesized(value)
        operator = part.text.strip().removesuffix("=").removesuffix(":")
        if not operator and (grown := augmentation_of(target, value)):
            operator, value = grown
        if operator:
            return self._augment(target, operator, value)
        if target.type not in ATTRIBUTES and target.type not in SUBSCRIPTS:
            return "$" if is_initial_value(value) or self._is_loop_value(value) else self._read_stored(value)
        if target.type in SUBSCRIPTS and self._is_variable(unparenthesized(target.parts[0])):
            self._record_pair(target.parts[-1], value)
            return "$"
        self._record_shape("set", self._read(target), self._read(value))
        return "$"

    def _is_loop_value(self, value: Part) -> bool:
        # x = xs[i] in a loop over xs, or a copy of a variable: a ``for`` has no such assignment.
        owner = indexed_collection_of(value)
        return self._is_variable(value) or (owner is not None and serialized(owner) in self._iterated)

    def _read_stored(self, value: Part) -> str:
        called, arguments = call_of(value) or (value, [])
        if called.text == "iter" and len(arguments) == 1:  # a loop by hand: it = iter(xs); x = next(it)
            self._record_each(arguments[0])
        elif called.text != "next" or len(arguments) != 1:
            self._read(value)
        return "$"

    def _augment(self, target: Part, operator: str, value: Part) -> str:
        if operator == "+" and self._is_variable(target):
            self._record_sum(value)
            return "$"
        self.has_logic = True
        self.words.append(operator)
        self._record_shape(operator, self._read(target), self._read(value))
        return "$"

    def _increment(self, part: Part) -> str:
        return "$" if self._is_variable(unparenthesized(part.parts[0])) else self._any_other(part)

    def _call(self, part: Part) -> str:
        called, arguments = call_of(part) or (part, [])
        read = self._method if called.type in ATTRIBUTES else self._builtin
        if (known := read(called, arguments)) is not None:
            return known
        label = f"{self._read(called)}()"
        self._record_shape(label, *[self._read(argument) for argument in arguments])
        return label

    def _method(self, called: Part, arguments: Sequence[Part]) -> str | None:
        owner, name = unparenthesized(called.parts[0]), called.parts[-1].text
        if len(arguments) == 1 and name in _APPENDING and self._is_variable(owner):
            self._record_out(arguments[0])
            return "$"
        if arguments and arguments[0].type in FUNCTIONS:
            if name in _MAPPING and len(arguments) == 1:
                return self._mapped(owner, name, arguments[0])
            if name == "reduce":
                return self._reduced(owner, arguments)
        return None

    def _builtin(self, called: Part, arguments: Sequence[Part]) -> str | None:
        if called.parts or len(arguments) != 1:
            return None
        argument = unparenthesized(arguments[0])
        if called.text in _TRANSPARENT_ITERATORS:
            return self._read(argument)
        if argument.type in COMPREHENSIONS and called.text in ("any", "all", "sum"):
            collect = self._record_sum if called.text == "sum" else self._record_test
            return self._comprehension(argument, collect)
        return None

    def _mapped(self, owner: Part, name: str, function: Part) -> str:
        self.has_logic = True
        self._record_each(owner)
        body = function.get("body") or function.parts[-1]
        if body.type.endswith(("block", "body")):
            self._read(body)
        elif name in _TESTING:
            self._record_test(body)
        else:
            self._record_out(body)
        return "$"

    def _reduced(self, owner: Part, arguments: Sequence[Part]) -> str:
        self.has_logic = True
        self._record_each(owner)
        body = unparenthesized(arguments[0].get("body") or arguments[0].parts[-1])
        if operator_of(body) == "+" and self._is_variable(unparenthesized(body.parts[0])):
            self._record_sum(body.parts[-1])
        else:
            self._read(body)
        return "$"

    def _return(self, part: Part) -> str:
        for value in part.parts:
            label = self._read(value)
            if label[:1] != "$" and not is_initial_value(unparenthesized(value)):
                self._record_shape("return", label)
        return "$"

    def _raise_or_await(self, part: Part) -> str:
        self.words.append(part.type.partition("_")[0])
        return self._read(part.parts[0])

    def _yield(self, part: Part) -> str:
        self.words.append("yield")
        for inner in part.parts:
            self._record_out(inner)
        return "yield"

    def _except(self, part: Part) -> str:
        self._read_all(
            [inner for inner in part.parts if inner.text != "StopIteration"]
        )  # the end of such a loop
        return "$"

    def _statement(self, part: Part) -> str:
        if len(part.parts) == 1 and part.parts[0].type in STRINGS:
            return "$"  # a docstring, or a string used as a comment
        self._read_all(part.parts)
        return "$"

    def _is_variable(self, part: Part) -> bool:
        return part.type in NAMES and not part.parts and (part.binds or part.text in self._names)

    _RULES: ClassVar[Mapping[str, Callable[[NormalForm, Part], str]]] = {
        **dict.fromkeys(ATTRIBUTES, _attribute),
        **dict.fromkeys(SUBSCRIPTS, _subscript),
        **dict.fromkeys(LOOPS, _loop),
        **dict.fromkeys(WHILES, _while),
        **dict.fromkeys(COMPREHENSIONS, _comprehension),
        **dict.fromkeys(CONDITIONALS, _if),
        **dict.fromkeys(BINARY, _binary),
        **dict.fromkeys(ASSIGNMENTS, _assign),
        **dict.fromkeys(CALLS, _call),
        **dict.fromkeys(("update_expression", "inc_statement", "dec_statement"), _increment),
        **dict.fromkeys(("return_statement", "return_expression"), _return),
        **dict.fromkeys(("raise_statement", "throw_statement", "await", "await_expression"), _raise_or_await),
        "keyword_argument": _keyword,
        "yield": _yield,
        "except_clause": _except,
        "expression_statement": _statement,
    }
