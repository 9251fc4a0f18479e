"""Values of Kubernetes secrets are found by their key path and by their decoded text."""

from __future__ import annotations

import pytest

from twospeed.secrets.detectors.kubernetes import kubernetes_values

TEXT = "c2VjcmV0LXZhbHVl"
"""Base64 of ``secret-value``."""

CHANCE = "Zq7Xw2Rt9Yk4Lm8Np3Vb6Hd1"
"""24 characters: base64 of bytes that are not text."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"data:\n  a: {TEXT}\n  b: plain\n  c: {TEXT}\n", [TEXT, TEXT]),
        (f"data:\n  a: {TEXT}", [TEXT]),
        (f"data:\n  a: {CHANCE}\n  b: {CHANCE[:20]}\n  c: {CHANCE}abcd\n", [CHANCE, f"{CHANCE}abcd"]),
        (f"data:\n  a: {TEXT}=\n  b: {TEXT[:-1]}\n  c: password\n  d: aGkK\n", []),
        ("data:\n  a: bGluZQphbmQgbGluZQ==\n  b: AAECAwQFBgcICQ==\n", ["bGluZQphbmQgbGluZQ=="]),
        ("data:\n  a: qWxZrTyUvIoPaSdFgHjKlMnB\n", []),
        (f"\n    z: {TEXT}\ndata:\n  a: {TEXT}", [TEXT]),
        (f"metadata:\n  a: {TEXT}\nupdata:\n  a: {TEXT}\n", []),
        (f"binaryData:\n  a: {TEXT}\nstringData: {{\n  b: {TEXT}\n", [TEXT, TEXT]),
        (f"data: x\n  a: {TEXT}\n", []),
        (f"- data:\n    a: {TEXT}\n", [TEXT]),
        (f"  data:\n  a: {TEXT}\n", []),
        (f"  data:\n   a: {TEXT}\n  b: {TEXT}\n", [TEXT]),
        (f"data:\n  a: {TEXT}\n\n  b: {TEXT}\n", [TEXT]),
        ("kind: Secret\nstringData:\n  user: admin\n  b: 'pass word'\n", ["admin", "pass"]),
        ("kind: Secrets\nstringData:\n  user: admin\n", []),
        ("stringData:\n  user: admin\nkind: Secret\n", ["admin"]),
        ("kind: Secret\ndata:\n  a: {{x}}\n  b: ${X}\n  c: <xyz>\n  d: $(x)\n  e: abcd\n", ["abcd"]),
        (
            '{"kind": "Secret",\n "data": {\n   "a": "bcde",\n   "cd": efgh,\n   "e": "fghi"\n }}',
            ["bcde", "efgh", "fghi"],
        ),
    ],
)
def test_values_below_data_are_found(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in kubernetes_values(text)] == expected
