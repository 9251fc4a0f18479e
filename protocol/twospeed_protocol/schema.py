"""Write the JSON schema of every message, for clients in other languages.

Run ``python -m twospeed_protocol.schema`` to write ``protocol/schema.json`` anew; a test fails where it is stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from . import PROTOCOL_VERSION, messages

SCHEMA_PATH = Path(__file__).parent.parent / "schema.json"


def schema_text() -> str:
    """Return the schema of all messages as JSON text, the same for the same messages."""
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
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> int:
    """Write the schema."""
    SCHEMA_PATH.write_text(schema_text(), "utf-8")
    sys.stdout.write(f"wrote {SCHEMA_PATH.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
