"""Serve a GGUF file with llama.cpp on a free port of 127.0.0.1, until stdin ends.

This program imports nothing of twospeed. stdin begins with a JSON object with the file and the key, so the
key is in no command line or environment. stdout has one line: the address or an error.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

_MAGIC = b"GGUF"


def main() -> None:
    """Read the request, start the server and wait for the end of stdin."""
    spec = json.loads(sys.stdin.readline())
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # discard other output
    try:
        server = _serve(spec)
        answer = {"address": server.listening_address}
    except ImportError:
        answer = {"error": "xllamacpp is not installed; install the extra `local`"}
    except (OSError, ValueError) as error:
        answer = {"error": f"{spec['gguf']} cannot be read: {error}"}
    except RuntimeError:  # without a reason
        answer = {"error": f"llama.cpp cannot load {spec['gguf']}"}
    except (AttributeError, TypeError) as error:
        answer = {"error": f"this release of xllamacpp is not supported: {error}"}
    answers.write(json.dumps(answer) + "\n")
    answers.close()
    if "address" in answer:
        sys.stdin.read()
    os._exit(0)  # do not wait for its threads, which may still write an answer


def _serve(spec: dict[str, Any]) -> Any:
    with Path(spec["gguf"]).open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise ValueError("it is not a GGUF file")
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415  # optional dependency; `main` reports if it is missing

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
