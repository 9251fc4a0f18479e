"""The notes that a project keeps for models, as one text: ``AGENTS.md`` and ``.twospeed/rules.md`` at its root."""

from __future__ import annotations

from pathlib import Path

from .files import WorkspaceFiles

NOTES_FILES = ("AGENTS.md", ".twospeed/rules.md")

MAX_NOTES_BYTES = 4096
"""Of each file; the rest is left out, and a line says so."""


def project_notes(files: WorkspaceFiles) -> str:
    """Read what there is of notes; empty where there is nothing, or nothing that may be read."""
    return "".join(
        f"{name}:\n{_cut(text)}" for name in NOTES_FILES if (text := files.read(Path(name))) and text.strip()
    )


def _cut(text: str) -> str:
    """Keep whole lines of so many bytes, and say how much is left out; of one long line, its beginning."""
    text = text if text.endswith("\n") else text + "\n"
    raw = text.encode()
    if len(raw) <= MAX_NOTES_BYTES:
        return text
    kept = raw[:MAX_NOTES_BYTES].decode("utf-8", "ignore")
    kept = kept[: kept.rfind("\n") + 1] or kept + "\n"
    return f"{kept}(cut here: {len(raw) - len(kept.encode())} more bytes are left out)\n"
