"""Turn an answer's text into the lines of the new scope, or refuse it.

``AnswerReader`` passes the lines through these stages:

* `imports`: separate imports for the file from an answer for a scope below them.
* `framing`, with `fences`, `reasoning`, `prose`, `landmarks`: find the lines that are code.
* `patch` and `whole_file`: apply an answer that is a patch or the whole file, at its end.
* `repeated_context`: remove repeated lines from around the scope.
* `indent`: restore the document's indentation, unless the answer only changes its unit.
* `decorated`: refuse old lines with numbers, diff marks or escapes.
* `elided`: refuse comments that replace code.
"""

from .answer import AnswerReader
from .elided.elision import ElisionCheck
from .evidence import Refusal, Surroundings
from .fences import fence_of, only_block, whole_code
from .imports.separator import ImportSeparator

__all__ = [
    "AnswerReader",
    "ElisionCheck",
    "ImportSeparator",
    "Refusal",
    "Surroundings",
    "fence_of",
    "only_block",
    "whole_code",
]
