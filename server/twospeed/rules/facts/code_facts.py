r"""The facts of a scope as plain values, for rules that read code without parsing it.

Places are relative to the scope. Texts are source code with ``\n`` for every line end. Only code inside the
scope is included. Names and conditions known only at run time are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from twospeed.syntax.identifiers.identifier import Identifier, NameScope, Place, Raised, Span
from twospeed.text.code.scope import ScopeKind

ParameterKind = Literal["plain", "rest", "keywords", "pattern"]
"""``rest`` is ``*args`` or ``...rest``, ``keywords`` is ``**kwargs``, ``pattern`` is destructured: ``{a,
b}``."""

FormatStyle = Literal["format", "percent"]
"""``'…'.format(…)`` or ``'…' % …``."""

Leaving = Literal["returns", "raises", "unknown"]
"""How the paths of a body end: all with ``return`` or ``raise`` and at least one ``return``; all with ``raise``;
or not certain.
"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function.

    Attributes:
        name: Without stars and dots. Empty for a pattern.
        is_optional: Whether TypeScript marks it optional: ``name?``.
        default_type: The built-in type of its default, if certain (Python).
        properties: Keys of an object pattern, as parameters with names.
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
    """A named function, method or class in the scope.

    Attributes:
        span: Includes decorators and ``export``, but no comments above.
        is_nested: Whether a function of the scope encloses it.
        decorators: Names without arguments.
        doc: Its docstring or JSDoc comment.
        header_end: End of its header, after the colon in Python.
        body_start: Start of the first statement of its body.
        parameters_end: After the closing parenthesis.
        annotation: Return type, as written.
        is_stub: Whether it has no body, or only ``pass``, ``...`` or "not implemented".
        returned: The type of each ``return`` with a value, ``None`` if uncertain.
        raises: Each error once, without those that a handler in the function might catch.
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
    """A value inserted into a string.

    Attributes:
        text: As written, on one line.
        kind: A bare name, names with dots and plain indices, or anything else.
    """

    text: str
    keyword: str | None
    kind: Literal["name", "access", "other"]


@dataclass(frozen=True, slots=True)
class FormatExpression:
    """A Python string literal followed by ``.format(…)`` or ``% …``, not inside an f-string.

    Attributes:
        literal: The string literal as written, with prefix and quotes.
        is_tuple: Whether the values of ``%`` are a tuple.
    """

    span: Span
    style: FormatStyle
    literal: str
    arguments: tuple[FormatArgument, ...]
    is_tuple: bool = False
    has_comment: bool = False


TextRole = Literal["comment", "doc", "export", "attribute", "type", "decorator", "keyword", "string"]
"""What a string or comment names: ``export`` is an entry of ``__all__``, ``attribute`` is accessed by its name,
``type`` is a type in quotes, ``keyword`` is in ``**{…}`` of a call, ``doc`` is a docstring or a ``/**`` comment.
"""


@dataclass(frozen=True, slots=True)
class TextFacts:
    """A string or comment.

    Attributes:
        text: As written, with quotes or comment marks.
        owner: The object of the attribute, if it is written here.
        shown: The access of the attribute, for a message.
    """

    role: TextRole
    start: Place
    text: str
    owner: str = ""
    shown: str = ""


@dataclass(frozen=True, slots=True)
class CodeFacts:
    """All facts of a scope, in text order.

    Attributes:
        words_outside: Every word in the rest of the document, including strings and comments.
        keywords_outside: Those that may name an argument: ``(name=`` or ``, name=``.
    """

    kind: ScopeKind
    name: str | None
    has_errors: bool
    definitions: tuple[DefinitionFacts, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    format_expressions: tuple[FormatExpression, ...] = ()
    name_scopes: tuple[NameScope, ...] = ()
    texts: tuple[TextFacts, ...] = ()
    words_outside: frozenset[str] = frozenset()
    keywords_outside: frozenset[str] = frozenset()
