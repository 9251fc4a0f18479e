"""Turn an answer's text into the lines of the new scope, or refuse it.

``AnswerReader`` (`answer`) passes the lines through these stages, each with one task:

* `framing`, with `fences`, `reasoning`, `prose` and `landmarks`: find the lines that are code.
* `patches`, with `search_replace`, `unified_diff` and `block_places`, and `whole_file`: apply answers that
  are a patch or the whole file, at their end.
* `repeated_context`: remove repeated lines from around the scope.
* `restyled`: detect an answer that only changes the unit of indentation.
* `indentation`, with `indent_style` and `indent_lines`: restore the document's indentation.
* `decorated`: refuse old lines with numbers, diff marks or escapes.
* `elision`, with `line_kinds`, `stretches` and `rewrites`: refuse comments that replace code.

`evidence` has what all stages use: the old lines, the surroundings, the refusals.
"""

from .answer import AnswerReader
from .elided.elision import ElisionCheck
from .evidence import Refusal, Surroundings
from .fences import fence_of, only_block, whole_code

__all__ = ["AnswerReader", "ElisionCheck", "Refusal", "Surroundings", "fence_of", "only_block", "whole_code"]
