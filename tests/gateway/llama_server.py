"""Serve a tiny model with the real llama.cpp server, in this process, until stdin ends.

``python -m tests.gateway.llama_server FOLDER [PIECE...]`` writes the model into the folder, prints the server's
address as its one line on stdout, and serves on a free port of 127.0.0.1. With pieces the model recites them, without
it never ends of itself. ``LLAMA_LAB_KEY`` in the environment is the key that requests must bring.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]  # only the environment of `make test-gateway` has it
from tests.gateway.tiny_gguf import NAME, write_tiny_gguf


def main(folder: str, *recited: str) -> None:
    """Serve until stdin ends: then whoever wanted the server is done with it, or gone."""
    path = Path(folder) / f"{NAME}.gguf"
    write_tiny_gguf(path, recited)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = [NAME]
    params.n_parallel = 1  # one slot, so that a request waits for the one before it
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.sampling.seed = 1
    params.sampling.ignore_eos = not recited
    params.warmup = False
    params.verbosity = -1
    if key := os.environ.get("LLAMA_LAB_KEY"):
        params.api_keys = [key]
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
