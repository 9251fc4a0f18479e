"""An editor with one notebook, which reports its cells as LSP 3.17 describes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.scenarios.editor import STREAMING, Buffer, Editor

NOTEBOOK = "file:///project/sales.ipynb"
SYNCHRONIZED = {"notebookDocument": {"synchronization": {"dynamicRegistration": True}}}
KINDS: dict[str, Any] = {"stock": SYNCHRONIZED, "streaming": STREAMING | SYNCHRONIZED}

MARKUP, CODE = 1, 2


def cell_uri(name: str, notebook: str = NOTEBOOK) -> str:
    """Return the URI of a cell as VS Code makes it."""
    return notebook.replace("file:", "vscode-notebook-cell:", 1) + f"#{name}"


@dataclass
class NotebookEditor(Editor):
    """Cells have one-letter names; the text of each is a buffer."""

    cells: list[str] = field(default_factory=list)
    notebook: str = NOTEBOOK
    languages: dict[str, str] = field(default_factory=dict)
    n_changes: int = 0

    def uri(self, name: str) -> str:
        return cell_uri(name, self.notebook)

    def text(self, name: str) -> str:
        return self.buffers[self.uri(name)].text

    def open_notebook(
        self, languages: dict[str, str] | None = None, /, *, notebook: str = NOTEBOOK, **texts: str
    ) -> None:
        """Open a notebook with these cells, in order; they are Python unless ``languages`` say otherwise."""
        self.notebook, self.cells, self.languages = notebook, list(texts), languages or {}
        for name, text in texts.items():
            self.buffers[self.uri(name)] = Buffer(self.uri(name), text)
        document = {
            "uri": notebook,
            "notebookType": "jupyter-notebook",
            "version": 1,
            "metadata": {"kernelspec": {"name": "python3", "n": 1}},
            "cells": list(map(self._cell, texts)),
        }
        self.notify(
            "notebookDocument/didOpen",
            {"notebookDocument": document, "cellTextDocuments": list(map(self._item, texts))},
        )

    def close_notebook(self) -> None:
        documents = [{"uri": self.uri(name)} for name in self.cells]
        self.notify(
            "notebookDocument/didClose",
            {"notebookDocument": {"uri": self.notebook}, "cellTextDocuments": documents},
        )

    def save_notebook(self) -> None:
        self.notify("notebookDocument/didSave", {"notebookDocument": {"uri": self.notebook}})

    def insert(self, index: int, name: str, text: str) -> None:
        """Insert a cell."""
        self.buffers[self.uri(name)] = Buffer(self.uri(name), text)
        self.cells.insert(index, name)
        self.restructure(index, 0, [name], opened=[name])

    def delete(self, name: str, *, reports_close: bool = True) -> None:
        """Delete a cell."""
        index = self.cells.index(name)
        self.cells.remove(name)
        self.restructure(index, 1, [], closed=[name] if reports_close else [])

    def restructure(
        self,
        start: int,
        n_deleted: int,
        cells: Sequence[str],
        *,
        opened: Sequence[str] = (),
        closed: Sequence[str] = (),
    ) -> None:
        array = {"start": start, "deleteCount": n_deleted, "cells": list(map(self._cell, cells))}
        structure: dict[str, Any] = {"array": array}
        if opened:
            structure["didOpen"] = list(map(self._item, opened))
        if closed:
            structure["didClose"] = [{"uri": self.uri(name)} for name in closed]
        self.change({"structure": structure})

    def change(self, cells: dict[str, Any]) -> None:
        """Report a change of the notebook."""
        self.n_changes += 1
        document = {"uri": self.notebook, "version": 1 + self.n_changes}
        self.notify("notebookDocument/didChange", {"notebookDocument": document, "change": {"cells": cells}})

    def _did_change(self, buffer: Buffer, changes: list[dict[str, Any]]) -> None:
        if buffer.uri.startswith("file:"):
            super()._did_change(buffer, changes)
            return
        document = {"uri": buffer.uri, "version": buffer.version}
        self.change({"textContent": [{"document": document, "changes": changes}]})

    def _cell(self, name: str) -> dict[str, Any]:
        kind = MARKUP if self.languages.get(name) == "markdown" else CODE
        return {"kind": kind, "document": self.uri(name), "metadata": {"tags": ["a"]}}

    def _item(self, name: str) -> dict[str, Any]:
        buffer = self.buffers[self.uri(name)]
        language = self.languages.get(name, "python")
        return {"uri": buffer.uri, "languageId": language, "version": buffer.version, "text": buffer.text}
