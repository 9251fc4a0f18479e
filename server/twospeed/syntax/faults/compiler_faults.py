"""Find errors of further languages that their compilers report and their grammars accept.

A name declared twice in a block, ``break`` and ``continue`` outside a loop, ``await`` in a function that is not
async. Only rules without exceptions in the language specification are checked.

Sources: JLS 6.4, 14.15 and 14.16; ISO C 6.7 (3) and 6.8.6; ISO C++ [basic.scope] and [stmt.jump]; C# errors
CS0128, CS0139 and CS4032; Go, "Declarations and scope", "Short variable declarations" and "Break statements";
Rust errors E0268 and E0728; Kotlin, "Conflicting declarations"; Swift, "Invalid redeclaration"; ECMA-262,
"Static Semantics: Early Errors"; PHP, "break"; Lua 3.3.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from twospeed.syntax.trees.trees import SourceTree, parse
from twospeed.syntax.trees.walks import Walk, children_of, named_children_of
from twospeed.text.code.scope import SyntaxErrorAt

from .early_errors import Fault, first_new

if TYPE_CHECKING:  # see trees
    from tree_sitter import Node

MAX_PLACES = 500
"""Declarations and jumps of a scope that are checked."""

_MAX_DECLARATORS = 100


@dataclass(frozen=True, slots=True)
class _Grammar:
    """Node types of a language.

    Attributes:
        functions: Nodes that bound a ``break`` or ``await``.
        switches: Other statements that allow ``break``.
        blocks: Nodes whose children share one scope of names.
        parameters: Their names belong to the outermost block of the function.
        unknown: Nodes in which a jump may be valid for reasons that the tree does not show.
    """

    functions: frozenset[str]
    loops: frozenset[str]
    switches: frozenset[str] = frozenset()
    jumps: frozenset[str] = frozenset({"break_statement", "continue_statement"})
    declarations: frozenset[str] = frozenset()
    blocks: frozenset[str] = frozenset({"block"})
    parameters: frozenset[str] = frozenset()
    unknown: frozenset[str] = frozenset()


_C = _Grammar(
    functions=frozenset({"function_definition", "lambda_expression"}),
    loops=frozenset({"while_statement", "do_statement", "for_statement", "for_range_loop"}),
    switches=frozenset({"switch_statement"}),
    declarations=frozenset({"declaration"}),
    blocks=frozenset({"compound_statement"}),
    parameters=frozenset({"parameter_declaration"}),
)
_JAVASCRIPT = _Grammar(
    functions=frozenset(
        {
            "function_declaration",
            "generator_function_declaration",
            "function_expression",
            "generator_function",
            "arrow_function",
            "method_definition",
            "class_static_block",
        }
    ),
    loops=frozenset({"for_statement", "for_in_statement", "while_statement", "do_statement"}),
    switches=frozenset({"switch_statement"}),
)
_GRAMMARS: Mapping[str, _Grammar] = {
    "c": _C,
    "cpp": _C,
    "csharp": _Grammar(
        functions=frozenset(
            {
                "method_declaration",
                "local_function_statement",
                "lambda_expression",
                "anonymous_method_expression",
            }
        ),
        loops=frozenset({"for_statement", "foreach_statement", "while_statement", "do_statement"}),
        switches=frozenset({"switch_statement"}),
        declarations=frozenset({"local_declaration_statement"}),
        parameters=frozenset({"parameter"}),
    ),
    "go": _Grammar(
        functions=frozenset({"function_declaration", "method_declaration", "func_literal"}),
        loops=frozenset({"for_statement"}),
        switches=frozenset({"expression_switch_statement", "type_switch_statement", "select_statement"}),
        declarations=frozenset({"short_var_declaration", "var_declaration"}),
        blocks=frozenset({"statement_list"}),
        parameters=frozenset({"parameter_declaration"}),
    ),
    "java": _Grammar(
        functions=frozenset({"method_declaration", "constructor_declaration", "lambda_expression"}),
        loops=frozenset({"for_statement", "enhanced_for_statement", "while_statement", "do_statement"}),
        switches=frozenset({"switch_expression", "switch_statement"}),
        declarations=frozenset({"local_variable_declaration"}),
        blocks=frozenset({"block", "constructor_body"}),
        parameters=frozenset({"formal_parameter"}),
    ),
    "kotlin": _Grammar(  # its grammar parses ``break`` as a name
        functions=frozenset({"function_declaration", "anonymous_function"}),
        loops=frozenset(),
        jumps=frozenset(),
        declarations=frozenset({"property_declaration"}),
        unknown=frozenset({"lambda_literal"}),
    ),
    "lua": _Grammar(
        functions=frozenset({"function_declaration", "function_definition"}),
        loops=frozenset({"while_statement", "repeat_statement", "for_statement"}),
    ),
    "php": _Grammar(
        functions=frozenset({"function_definition", "method_declaration", "anonymous_function"}),
        loops=frozenset(
            {"for_statement", "foreach_statement", "while_statement", "do_statement", "switch_statement"}
        ),
    ),
    "rust": _Grammar(
        functions=frozenset({"function_item", "closure_expression", "async_block"}),
        loops=frozenset({"loop_expression", "while_expression", "for_expression"}),
        jumps=frozenset({"break_expression", "continue_expression"}),
    ),
    "swift": _Grammar(
        functions=frozenset({"function_declaration", "lambda_literal"}),
        loops=frozenset({"for_statement", "while_statement", "repeat_while_statement"}),
        switches=frozenset({"switch_statement"}),
        jumps=frozenset({"control_transfer_statement"}),
        declarations=frozenset({"property_declaration"}),
        blocks=frozenset({"statements"}),
    ),
    **dict.fromkeys(("javascript", "javascriptreact", "typescript", "typescriptreact"), _JAVASCRIPT),
}
LANGUAGES = frozenset(_GRAMMARS)

_AWAITING = {
    "csharp": frozenset({"method_declaration", "local_function_statement", "lambda_expression"}),
    "rust": frozenset({"function_item", "closure_expression"}),
    "swift": frozenset({"function_declaration"}),
}
"""Functions that are declared async, in languages whose ``await`` requires it."""

_DECLARATORS = frozenset(
    {"init_declarator", "pointer_declarator", "array_declarator", "reference_declarator"}
)
_NAMES = frozenset({"identifier", "simple_identifier"})


def new_compiler_fault(
    before: Sequence[str], after: Sequence[str], language_id: str, scope: tuple[int, int, int]
) -> SyntaxErrorAt | None:
    """Return the first new compiler error of an edit. For ``scope`` see `find_new_fault`."""
    start, old_end, new_end = scope
    found = _faults(after, language_id, start, new_end)
    return first_new(found, lambda: _faults(before, language_id, start, old_end))


def _faults(lines: Sequence[str], language_id: str, start: int, end: int) -> list[Fault]:
    source = parse(language_id, lines)
    return list(_Scope(source, language_id, start, end).faults()) if source else []


@dataclass(slots=True)
class _Scope:
    """Some lines of a parsed document."""

    source: SourceTree
    language_id: str
    start: int
    end: int
    _offsets: dict[int, Counter[str]] = field(default_factory=dict)

    def faults(self) -> Iterator[Fault]:
        """Yield each error and its line, in text order."""
        grammar = _GRAMMARS[self.language_id]
        for node in islice(self._places(grammar), MAX_PLACES):
            row = node.start_point.row
            around = [
                each
                for each in self.source.path_to(row, self.source.column(node.start_point))
                if each != node and each.start_byte <= node.start_byte and node.end_byte <= each.end_byte
            ]
            if node.type in grammar.declarations:
                for name in self._redeclared_names(node, around, grammar):
                    yield f'"{name}" is declared twice', row
            elif node.type == "await_expression":
                if self._is_in_plain_function(around, grammar):
                    yield '"await" is in a function that is not async', row
            elif (word := self._misplaced_jump(node, around, grammar)) is not None:
                yield f'"{word}" is not in a loop', row

    def _places(self, grammar: _Grammar) -> Iterator[Node]:
        kinds = grammar.jumps | grammar.declarations
        if self.language_id in _AWAITING:
            kinds |= {"await_expression"}
        for node in Walk(self.source.root, row=self.start):
            row = node.start_point.row
            if row >= self.end:
                return
            if row >= self.start and node.type in kinds:
                yield node

    def _misplaced_jump(self, node: Node, around: Sequence[Node], grammar: _Grammar) -> str | None:
        word = self.source.text_of(node).rstrip("; \n")
        if word not in {"break", "continue"}:
            return None  # with a label, a number of loops, or a value
        targets = grammar.loops | (grammar.switches if word == "break" else frozenset())
        ends = grammar.functions | grammar.unknown | targets
        inner = [each for each in around if each.type in ends]
        if not inner or inner[-1].type not in grammar.functions:
            return None
        # The C++ grammar parses the block of a macro, as in ``FOREACH(a, b) { break; }``, as a nested
        # function.
        is_macro = inner[-1].type == "function_definition" and self.language_id == "cpp" and len(inner) > 1
        return None if is_macro else word

    def _is_in_plain_function(self, around: Sequence[Node], grammar: _Grammar) -> bool:
        function = next((each for each in reversed(around) if each.type in grammar.functions), None)
        if function is None or function.type not in _AWAITING[self.language_id]:
            return False
        body = function.child_by_field_name("body")
        heads = (each for each in children_of(function, _MAX_DECLARATORS) if body is None or each != body)
        return not any(
            "async" in self.source.text_of(each).split()
            for each in heads
            if each.type in {"async", "modifier", "function_modifiers", "modifiers"}
        )

    def _redeclared_names(self, node: Node, around: Sequence[Node], grammar: _Grammar) -> Iterator[str]:
        block = around[-1] if around else None
        if block is None or block.type not in grammar.blocks or not _is_local(around, grammar):
            return
        first = self._first_offsets(block, around, grammar)
        names = [name for name in self._declared_names(node) if name != "_"]
        again = [name for name in names if first.get(name, node.start_byte) < node.start_byte]
        if node.type != "short_var_declaration" or len(again) == len(names):
            yield from again

    def _first_offsets(self, block: Node, around: Sequence[Node], grammar: _Grammar) -> Mapping[str, int]:
        known = self._offsets.get(block.id)
        if known is not None:
            return known
        found: Counter[str] = Counter()
        self._offsets[block.id] = found
        children = list(named_children_of(block))
        if any("preproc" in each.type or "directive" in each.type for each in children):
            return found  # each declaration may be in another branch of the directive
        for each in self._parameters(around, grammar):
            found[each] = 0
        for child in children:
            if child.type in grammar.declarations:
                for name in self._declared_names(child):
                    found.setdefault(name, child.start_byte)
        return found

    def _parameters(self, around: Sequence[Node], grammar: _Grammar) -> Iterator[str]:
        outer = [each for each in around if each.type != "block"] if self.language_id == "go" else around
        function = outer[-2] if len(outer) > 1 else None
        if not grammar.parameters or function is None or function.type not in grammar.functions:
            return
        body = function.child_by_field_name("body")
        for node in Walk(function, _MAX_DECLARATORS * 10):
            if body is not None and node.start_byte >= body.start_byte:
                return
            if node.type in grammar.parameters:
                for name in node.children_by_field_name("name"):
                    yield self.source.text_of(name)
                if (declarator := node.child_by_field_name("declarator")) is not None:
                    yield from self._c_declared_name(declarator)

    def _declared_names(self, node: Node) -> Iterator[str]:
        if self.language_id in {"c", "cpp"}:
            if not any(each.type == "storage_class_specifier" for each in named_children_of(node, 8)):
                for declarator in node.children_by_field_name("declarator")[:_MAX_DECLARATORS]:
                    yield from self._c_declared_name(declarator)
        elif node.type == "short_var_declaration":
            left = node.child_by_field_name("left")
            for each in named_children_of(left, _MAX_DECLARATORS) if left else ():
                if each.type == "identifier":
                    yield self.source.text_of(each)
        else:
            yield from self._names_in(node)

    def _names_in(self, node: Node) -> Iterator[str]:
        for each in named_children_of(node, _MAX_DECLARATORS):
            if each.type in {"variable_declarator", "var_spec"}:
                names = each.children_by_field_name("name") or list(named_children_of(each, 1))
                yield from (self.source.text_of(name) for name in names if name.type in _NAMES)
            elif each.type in {"variable_declaration", "multi_variable_declaration", "var_spec_list"}:
                yield from self._names_in(each)
            elif each.type in _NAMES and node.type == "variable_declaration":
                yield self.source.text_of(each)
            elif each.type == "pattern":
                text = self.source.text_of(each)
                if text.isidentifier():
                    yield text

    def _c_declared_name(self, declarator: Node) -> Iterator[str]:
        """Yield the name of a C declarator, except that of a function, which may be declared again."""
        node: Node | None = declarator
        for _ in range(_MAX_DECLARATORS):
            if node is None or node.type not in _DECLARATORS:
                break
            node = node.child_by_field_name("declarator") or next(named_children_of(node, 1), None)
        if node is not None and node.type == "identifier":
            yield self.source.text_of(node)


def _is_local(around: Sequence[Node], grammar: _Grammar) -> bool:
    return any(each.type in grammar.functions | grammar.unknown for each in around)
