"""The fuzz targets' seeds hold, so that a target cannot rot between two long runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz import fuzz_framing

from twospeed.lsp.wire import framing


@pytest.mark.security("R11.1")
@pytest.mark.parametrize("seed", [*fuzz_framing.SEEDS, b"", b"\x00", b"\x01\xff"])
def test_the_frame_reader_agrees_with_a_naive_reader(seed: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "MAX_BODY_BYTES", fuzz_framing.MAX_BODY_BYTES)
    fuzz_framing.check(seed)


def test_the_seeds_are_written_to_the_folder_of_the_corpus(tmp_path: Path) -> None:
    fuzz_framing.write_seeds(tmp_path / "corpus")
    assert len(list((tmp_path / "corpus").iterdir())) == len(fuzz_framing.SEEDS)
