"""What a position counts, as an editor says it, and as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from twospeed.text.positions import Encoding

_LSP_MODE = "emacs"
"""How lsp-mode calls itself. It counts code points: until 2023 it offers nothing, later UTF-32 and UTF-16, and means the
former by both until 2026 (emacs-lsp/lsp-mode#2080, #3958, #4999)."""


def choose_encoding(params: types.InitializeParams) -> Encoding:
    """Choose UTF-16 wherever it is offered, and where nothing is (LSP 3.17, ``positionEncodings``).

    Every client but one speaks it, and the more one encoding is used, the fewer bugs hide in the others.
    """
    if params.client_info and params.client_info.name.lower() == _LSP_MODE:
        return "utf-32"
    general = params.capabilities.general
    offered = (general and general.position_encodings) or ["utf-16"]
    names = [str(getattr(each, "value", each)) for each in offered]
    encodings: tuple[Encoding, ...] = ("utf-16", "utf-8", "utf-32")
    return next((encoding for encoding in encodings if encoding in names), "utf-16")
