"""Write every message as JSON schema, for clients in other languages, and as TypeScript, for the clients in `editors`.

``python -m twospeed_protocol.schema`` writes both files. A test fails if one of them is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from . import PROTOCOL_VERSION, messages
from .typescript import typescript_of

SCHEMA_PATH = Path(__file__).parent.parent / "schema.json"
TYPESCRIPT_PATH = SCHEMA_PATH.with_name("messages.ts")


def schema_text() -> str:
    """Return the schema of all messages as JSON text, in a stable order."""
    return json.dumps(_schema(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def typescript_text() -> str:
    """Return the types of all messages in TypeScript, in a stable order."""
    return typescript_of(_schema())


def _schema() -> dict[str, Any]:
    models = [
        (each, "validation")
        for name in messages.__all__
        if isinstance(each := getattr(messages, name), type) and issubclass(each, BaseModel)
    ]
    _, schema = models_json_schema(
        models,  # type: ignore[arg-type]  # the literal "validation" is inferred as str
        title=f"twospeed protocol {PROTOCOL_VERSION}",
        ref_template="#/$defs/{model}",
    )
    return schema


def main() -> int:
    """Write both files."""
    for path, text in ((SCHEMA_PATH, schema_text()), (TYPESCRIPT_PATH, typescript_text())):
        path.write_text(text, "utf-8")
        sys.stdout.write(f"wrote {path.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
