r"""What a parser knows of a scope, as plain values, for an engine that reads code without parsing it.

Places are within the scope: line 0 is its first line, columns are code points. Texts are the code's own, with
``\n`` for every line end. Only what lies in the scope from its first to its last character is told; names and
conditions that only running the code would reveal are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .scope import ScopeKind

Place = tuple[int, int]
"""A line of the scope and a column in code points."""

ParameterKind = Literal["plain", "rest", "keywords", "pattern"]
"""``rest`` is ``*args`` or ``...rest``, ``keywords`` is ``**kwargs``, ``pattern`` is taken apart: ``{a, b}``."""

Role = Literal[
    "definition",
    "reference",
    "attribute",
    "member",
    "keyword",
    "key",
    "import",
    "export",
    "global",
    "component",
]
"""What an identifier stands for.

``definition`` binds a name: a parameter, a variable, a function, a class. ``reference`` uses it.
``attribute`` stands behind a dot. ``member`` is defined in a class body: a method, a class variable, a field.
``keyword`` names an argument in a call. ``key`` names a property, and is no variable.
``import`` is the name another module gave, ``export`` a variable that is given away under its name.
``global`` stands in a Python ``global`` or ``nonlocal``. ``component`` is a reference from a JSX tag, where a
lower-case name would mean something else.
"""

NameScopeKind = Literal["module", "function", "class", "block"]
"""Where names are bound together; comprehensions are blocks."""

FormatStyle = Literal["format", "percent"]
"""``'…'.format(…)`` or ``'…' % …``."""

Leaving = Literal["returns", "raises", "unknown"]
"""How a body ends: on every path by ``return`` or ``raise`` with at least one ``return``, on every path by
``raise``, or neither for certain."""


@dataclass(frozen=True, slots=True)
class Span:
    """``start`` inclusive up to ``end`` exclusive."""

    start: Place
    end: Place


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function.

    Attributes:
        name: Without stars and dots; empty for a pattern.
        kind: How it takes arguments.
        annotation: Its type, as written.
        default: Its default, as written.
        is_optional: TypeScript's ``name?``.
        default_type: The built-in type its default certainly has (Python).
        name_end: Where its name ends.
        default_start: Where its default begins.
        properties: What a pattern takes from an object, as parameters with names.
    """

    name: str
    kind: ParameterKind
    annotation: str | None = None
    default: str | None = None
    is_optional: bool = False
    default_type: str | None = None
    name_end: Place = (0, 0)
    default_start: Place | None = None
    properties: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class Raised:
    """An error a function raises, as the code shows it.

    Attributes:
        name: The error's class, as written.
        condition: The test of the ``if`` directly around it, where there is one on one line.
    """

    name: str
    condition: str | None = None


@dataclass(frozen=True, slots=True)
class DefinitionFacts:
    """A named function, method or class that lies in the scope.

    Attributes:
        kind: What it is; a method is a function in a class body.
        name: As written.
        span: With decorators, ``export`` and the like, without comments above.
        is_nested: Whether it stands inside a function of the scope.
        decorators: Names of the decorators, without arguments.
        doc: Its docstring or JSDoc comment.
        header_end: Where its header ends: behind the colon in Python.
        body_start: Where the first statement of its body begins.
        parameters: In order.
        parameters_end: Behind the closing parenthesis.
        annotation: Return type, as written.
        is_async: Whether it is declared so.
        is_stub: Whether it has no body, or one that does nothing yet: ``pass``, ``...``, not implemented.
        yields: Whether it is a generator.
        returned: A type for each ``return`` with a value, ``None`` where it is not certain.
        has_bare_return: Whether there is a ``return`` without a value.
        leaving: How its body ends.
        raises: Errors, each once, in order; without those that a handler in the function might catch.
    """

    kind: Literal["function", "method", "class"]
    name: str
    span: Span
    is_nested: bool = False
    decorators: tuple[str, ...] = ()
    doc: Span | None = None
    header_end: Place = (0, 0)
    body_start: Place = (0, 0)
    parameters: tuple[Parameter, ...] = ()
    parameters_end: Place = (0, 0)
    annotation: str | None = None
    is_async: bool = False
    is_stub: bool = False
    yields: bool = False
    returned: tuple[str | None, ...] = ()
    has_bare_return: bool = False
    leaving: Leaving = "unknown"
    raises: tuple[Raised, ...] = ()


@dataclass(frozen=True, slots=True)
class Identifier:
    """One occurrence of a name; never in a string or comment.

    Attributes:
        name: As written.
        span: Where.
        role: What it stands for there.
        owner: For an attribute, what stands before the dot; for a keyword, what is called; empty where that is
            more than names and dots.
        is_shorthand: JavaScript's ``{name}``, which is a key and a variable at once.
        scope: Number, in ``CodeFacts.name_scopes``, of the scope it is bound in or looked up from.
    """

    name: str
    span: Span
    role: Role
    owner: str = ""
    is_shorthand: bool = False
    scope: int = 0


@dataclass(frozen=True, slots=True)
class NameScope:
    """A part of the code with names of its own.

    Attributes:
        parent: Number of the scope around it, ``None`` for the module.
        kind: What it is.
        is_inside: Whether all of it lies in the lines of the edit.
    """

    parent: int | None
    kind: NameScopeKind
    is_inside: bool


@dataclass(frozen=True, slots=True)
class FormatArgument:
    """A value put into a text.

    Attributes:
        text: As written, on one line.
        keyword: Its name in the call, if it has one.
        kind: A bare name, names with dots and plain indices, or anything else.
    """

    text: str
    keyword: str | None
    kind: Literal["name", "access", "other"]


@dataclass(frozen=True, slots=True)
class FormatExpression:
    """A Python string literal with ``.format(…)`` or ``% …`` behind it, not inside an f-string.

    Attributes:
        span: The whole expression.
        style: Which of the two.
        literal: The string literal as written, prefix and quotes included.
        arguments: What is put in, in order.
        is_tuple: For ``%``: whether the arguments are written as a tuple.
        has_comment: Whether a comment stands inside it.
    """

    span: Span
    style: FormatStyle
    literal: str
    arguments: tuple[FormatArgument, ...]
    is_tuple: bool = False
    has_comment: bool = False


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """All that is told of a scope; every list in the order of the text.

    Attributes:
        kind: What the scope is.
        name: The scope's name, where it has one.
        has_errors: Whether the parser could not read all of it.
        definitions: Functions and classes that lie in it, at any depth.
        identifiers: Every occurrence of a name.
        format_expressions: Python string formatting.
        name_scopes: Scopes of names, by number.
        words_outside: Every word in the rest of the document, in strings and comments too.
        keywords_outside: Those of them that may name an argument: ``(name=`` or ``, name=``.
    """

    kind: ScopeKind
    name: str | None
    has_errors: bool
    definitions: tuple[DefinitionFacts, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    format_expressions: tuple[FormatExpression, ...] = ()
    name_scopes: tuple[NameScope, ...] = ()
    words_outside: frozenset[str] = frozenset()
    keywords_outside: frozenset[str] = frozenset()
