"""The cells of the open notebooks, in their order (LSP 3.17, "Notebook Document Synchronization")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_CELLS = 20_000
"""Cells of all notebooks; the order of further ones is not stored, so their edits read no cells above."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; its text is an open document."""

    uri: str
    is_code: bool


class Notebooks:
    """The open notebooks of one connection.

    Args:
        notebook_of: Receives the notebook's URI for the URI of each cell: the path of a cell is that of its notebook.
    """

    def __init__(self, notebook_of: dict[str, str]) -> None:
        self._notebook_of = notebook_of
        self._cells: dict[str, list[Cell]] = {}

    def add(self, uri: str, cells: Sequence[Cell]) -> None:
        """Add a notebook that is open."""
        self._cells[uri] = []
        self.replace(uri, 0, 0, cells)

    def replace(self, uri: str, start: int, n_removed: int, cells: Sequence[Cell]) -> list[str]:
        """Replace some cells of a notebook, and return the URIs of those that it no longer has."""
        self._notebook_of |= {cell.uri: uri for cell in cells}
        own = self._cells.get(uri)
        if own is None:
            return []
        removed = own[start : start + n_removed]
        own[start : start + n_removed] = cells
        if sum(map(len, self._cells.values())) > MAX_CELLS:
            self.lose_order(uri)
        left = {cell.uri for cell in own}
        return [cell.uri for cell in removed if cell.uri not in left]

    def update(self, uri: str, cells: Iterable[Cell]) -> None:
        """Replace the data of cells, wherever they are in a notebook."""
        known = {cell.uri: cell for cell in cells}
        self._cells[uri] = [known.get(cell.uri, cell) for cell in self._cells.get(uri, ())]

    def lose_order(self, uri: str) -> None:
        """Forget the order of a notebook's cells, because a change of it was lost."""
        self._cells.pop(uri, None)

    def cells_of(self, uri: str) -> list[str]:
        """Return the URIs of the cells of a notebook."""
        return [cell for cell, notebook in self._notebook_of.items() if notebook == uri]

    def code_above(self, uri: str) -> list[str] | None:
        """Return the URIs of the code cells above a cell, the first one first; ``None`` if it is no cell."""
        notebook = self._notebook_of.get(uri)
        if notebook is None:
            return None
        above: list[str] = []
        for cell in self._cells.get(notebook, ()):
            if cell.uri == uri:
                return above
            if cell.is_code:
                above.append(cell.uri)
        return []  # its place is not known

    def forget(self, cells: Iterable[str]) -> None:
        """Remove cells whose documents are closed."""
        for uri in cells:
            self._notebook_of.pop(uri, None)

    def close(self, uri: str) -> None:
        """Close a notebook."""
        self.forget(self.cells_of(uri))
        self._cells.pop(uri, None)
