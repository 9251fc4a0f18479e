r"""Split answer text, received in chunks, into lines.

Only ``\n``, ``\r\n`` and a lone ``\r`` end a line, as in LSP 3.17; ``str.splitlines`` also breaks at form
feed, U+0085 and U+2028. A ``\r`` at the end of a chunk is held until the next chunk.
"""

from __future__ import annotations

from collections.abc import Sequence


class LineSplitter:
    """Collects text until a line is complete. Cost: linear in the text, for any chunks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._after_cr = False

    def receive_text(self, text: str) -> Sequence[str]:
        """Receive a chunk; return the completed lines, without line ends."""
        if not self._after_cr and "\n" not in text and "\r" not in text:  # most tokens
            self._pieces.append(text)
            return ()
        if self._after_cr and text:
            text = "\r" + text
            self._after_cr = False
        if text.endswith("\r"):
            text = text[:-1]
            self._after_cr = True
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        lines = text.split("\n")
        self._pieces.append(lines[0])
        if len(lines) == 1:
            return ()
        lines[0] = "".join(self._pieces)
        self._pieces = [lines.pop()]
        return lines

    def finish(self) -> Sequence[str]:
        """Return the last line, if the text does not end with a line end."""
        last = "".join(self._pieces)
        self._pieces.clear()
        ended_by_cr, self._after_cr = self._after_cr, False
        return [last] if last or ended_by_cr else []
