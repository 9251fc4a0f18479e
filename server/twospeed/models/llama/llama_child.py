"""Serve a GGUF with llama.cpp on a free port of 127.0.0.1, until stdin ends: then whoever wanted it is done, or dead.

A program of its own, run by its path: it imports nothing of twospeed. The first line of stdin says what to serve, as
JSON, with the key that requests must bring; so the key stands in no command line and no environment. The one line of
stdout says where it is, or what is wrong.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

_MAGIC = b"GGUF"


def main() -> None:
    """Serve."""
    spec = json.loads(sys.stdin.readline())
    said = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever else is written there, nobody reads it
    try:
        server = _serve(spec)
        answer = {"address": server.listening_address}
    except ImportError:
        answer = {"error": "xllamacpp is not installed: it comes with the extra local"}
    except (OSError, ValueError) as error:
        answer = {"error": f"{spec['gguf']} cannot be read: {error}"}
    except RuntimeError:  # which does not say why
        answer = {"error": f"llama.cpp cannot load {spec['gguf']}"}
    except (AttributeError, TypeError) as error:
        answer = {"error": f"this release of xllamacpp is not known here: {error}"}
    said.write(json.dumps(answer) + "\n")
    said.close()
    if "address" in answer:
        sys.stdin.read()
    os._exit(0)  # its threads are of no interest any more, and one may be in the middle of an answer


def _serve(spec: dict[str, Any]) -> Any:
    with Path(spec["gguf"]).open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it is no GGUF file")
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415  # only the extra has it; what is wrong is said

    params = xllamacpp.CommonParams()
    params.model.path = spec["gguf"]
    params.model_alias = [spec["model"]]
    params.hostnames = ["127.0.0.1"]
    params.api_keys = [spec["key"]]
    params.n_ctx = spec["context_tokens"]
    params.warmup = False
    params.verbosity = -1
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
