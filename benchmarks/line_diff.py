"""The floor of every line diff: the exact longest common subsequence of two lists of lines."""

from __future__ import annotations

from collections.abc import Sequence


def kept_by_minimal_diff(old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Return the old lines that a minimal line diff keeps.

    Returns:
        Indices of as many old lines as possible, with the largest sum of characters. So no line diff of as
        few lines deletes and inserts fewer characters.

    Cost: len(old) * len(new).
    """
    # kept[i][j]: lines and characters that old[i:] and new[j:] can share.
    kept = [[(0, 0)] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in reversed(range(len(old))):
        row, below = kept[i], kept[i + 1]
        for j in reversed(range(len(new))):
            row[j] = max(row[j + 1], below[j])
            if old[i] == new[j]:
                lines, characters = below[j + 1]
                row[j] = max(row[j], (lines + 1, characters + len(old[i])))
    indices = []
    i = j = 0
    while kept[i][j] != (0, 0) and i < len(old):
        if kept[i][j] == kept[i + 1][j]:
            i += 1
        elif kept[i][j] == kept[i][j + 1]:
            j += 1
        else:
            indices.append(i)
            i, j = i + 1, j + 1
    return indices
