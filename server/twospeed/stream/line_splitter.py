r"""Answer text in any chunks becomes whole lines.

``\n``, ``\r\n`` and a lone ``\r`` end a line; a ``\r`` at a chunk's end waits for what follows it.
"""

from __future__ import annotations


class LineSplitter:
    """Collect text until a line is whole."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._after_cr = False

    def receive_text(self, text: str) -> list[str]:
        """Take a chunk.

        Returns:
            The lines completed by it, without line ends.

        Cost: linear in the text received, however long a line is.
        """
        if self._after_cr and text:
            text = "\r" + text
            self._after_cr = False
        if text.endswith("\r"):
            text = text[:-1]
            self._after_cr = True
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if "\n" not in text:
            self._pieces.append(text)
            return []
        first, *rest = text.split("\n")
        lines = ["".join([*self._pieces, first]), *rest]
        self._pieces = [lines.pop()]
        return lines

    @property
    def partial(self) -> str:
        """The line that is still open."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def finish(self) -> list[str]:
        """Return the last line, if the text did not end with a line end."""
        last = self.partial
        self._pieces = []
        ended_by_cr, self._after_cr = self._after_cr, False
        return [last] if last or ended_by_cr else []
