"""Open a document."""

from __future__ import annotations

from twospeed.text.document import Document
from twospeed.text.positions import Encoding


def opened(text: str, encoding: Encoding = "utf-16") -> Document:
    return Document.opened("file:///a.py", 1, "python", text, encoding)
