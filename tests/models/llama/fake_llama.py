"""Replaces `models.llama.llama_child`: reads the same stdin, and serves Chat Completions from a file.

A program of its own, on the standard library alone, so that it is there at once. The file holds what to answer as
JSON: ``{"says": […], "then": "die" | "wait" | "end", "starts": "hang" | "die" | "refuse"}``. What it was given is
written beside the file, a line a start.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def main() -> None:
    spec = json.loads(sys.stdin.readline())
    path = Path(spec["gguf"])
    play = json.loads(path.read_text())
    with path.with_suffix(".log").open("a") as log:
        seen = {"pid": os.getpid(), "argv": sys.argv, "environ": dict(os.environ), **spec}
        log.write(json.dumps(seen) + "\n")
    match play.get("starts"):
        case "hang":
            sys.stdin.read()
            return
        case "die":
            os._exit(1)
        case "refuse":
            print(json.dumps({"error": f"llama.cpp cannot load {path}"}), flush=True)
            return
        case _:
            pass
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(spec["key"], play))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"address": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    sys.stdin.read()
    os._exit(0)


def handler(key: str, play: dict) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers["Authorization"] != f"Bearer {key}":
                self.send_error(401)
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for piece in play["says"]:
                self.event({"choices": [{"index": 0, "delta": {"content": piece}}]})
            match play.get("then"):
                case "die":
                    os._exit(1)
                case "wait":
                    sys.stdin.read()
                case _:
                    self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})

        def event(self, value: object) -> None:
            self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
            self.wfile.flush()

        def log_message(self, *_: object) -> None: ...

    return Handler


if __name__ == "__main__":
    main()
