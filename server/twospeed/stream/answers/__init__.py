"""What a model wrote becomes the lines of the new scope, or a refusal.

``AnswerReader`` (`answer`) composes the stages, each a module with one idea; an answer's lines go down this list:

* `framing`, with `fences`, `reasoning`, `prose` and `landmarks`: which lines are code at all.
* `patches`, with `search_replace`, `unified_diff` and `block_places`, and `whole_file`: answers that are a patch or the
  whole file, judged at their end.
* `repeated_context`: lines around the scope that the answer repeats.
* `restyled`: whether the unit of indentation is all that changed.
* `indentation`, with `indent_style` and `indent_lines`: the document's indentation comes back.
* `decorated`: whether the old lines came in another dress, numbered, say, or escaped.
* `elision`, with `line_kinds`, `stretches` and `rewrites`: whether a comment stands where code was.

`evidence` is what all of them look at: the old lines, the place, the reasons to refuse.
"""

from .answer import AnswerReader
from .elided.elision import ElisionCheck
from .evidence import Refusal, Surroundings
from .fences import fence_of, only_block, whole_code

__all__ = ["AnswerReader", "ElisionCheck", "Refusal", "Surroundings", "fence_of", "only_block", "whole_code"]
