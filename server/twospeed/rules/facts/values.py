r"""The facts of a scope as plain values, for rules that read code without parsing it.

Places are within the scope: line 0 is its first line, columns are code points. Texts are the code's own, with
``\n`` for every line end. Only what lies in the scope from its first to its last character is told; names and
conditions that only running the code would reveal are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twospeed.syntax.identifiers.values import Identifier, NameScope, Place, Raised, Span
from twospeed.text.code.scope import ScopeKind

ParameterKind = Literal["plain", "rest", "keywords", "pattern"]
"""``rest`` is ``*args`` or ``...rest``, ``keywords`` is ``**kwargs``, ``pattern`` is taken apart: ``{a, b}``."""

FormatStyle = Literal["format", "percent"]
"""``'…'.format(…)`` or ``'…' % …``."""

Leaving = Literal["returns", "raises", "unknown"]
"""How a body ends: on every path by ``return`` or ``raise`` with at least one ``return``, on every path by
``raise``, or neither for certain."""


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
