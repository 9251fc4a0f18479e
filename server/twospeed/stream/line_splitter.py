r"""Answer text in any chunks becomes whole lines.

``\n``, ``\r\n`` and a lone ``\r`` end a line, as in a document (LSP 3.17), and nothing else does: not form feed,
U+0085 or U+2028, at which ``str.splitlines`` breaks. A ``\r`` at a chunk's end waits for what follows it.
"""

from __future__ import annotations

from collections.abc import Sequence


class LineSplitter:
    """Collect text until a line is whole.

    Cost: linear in the text received, however it is cut, and however long a line is.
    """

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._after_cr = False

    def receive_text(self, text: str) -> Sequence[str]:
        """Take a chunk.

        Returns:
            The lines completed by it, without line ends.
        """
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
        """Return the last line, if the text did not end with a line end."""
        last = "".join(self._pieces)
        self._pieces.clear()
        ended_by_cr, self._after_cr = self._after_cr, False
        return [last] if last or ended_by_cr else []
