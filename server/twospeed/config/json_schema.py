"""The JSON Schema of the user's config file, from the tables in `schema`."""

from __future__ import annotations

from .schema import UserTable

DRAFT = "https://json-schema.org/draft/2020-12/schema"

_NULL = {"type": "null"}


def config_schema() -> dict[str, object]:
    """Return the schema of the config file: allowed keys, types and values."""
    schema = _cleaned(UserTable.model_json_schema())
    assert isinstance(schema, dict)
    return {"$schema": DRAFT, **schema, "title": "twospeed config"}


def _cleaned(node: object) -> object:
    """Remove what a TOML file cannot have or a reader does not need: null, titles of classes, defaults."""
    if isinstance(node, list):
        return [_cleaned(each) for each in node]
    if not isinstance(node, dict):
        return node
    alternatives = [each for each in node.get("anyOf", ()) if each != _NULL]
    if len(alternatives) == 1:
        node = {**node, **alternatives[0]}
        del node["anyOf"]
    cleaned: dict[str, object] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):  # its keys are names of settings and tables
            cleaned[key] = {name: _cleaned(each) for name, each in value.items()}
        elif key == "description":
            cleaned[key] = _description(value)
        elif key not in ("title", "default"):
            cleaned[key] = _cleaned(value)
    return cleaned


def _description(docstring: str) -> str:
    return docstring.partition("; see ")[0].replace("`", "").strip().removesuffix(".") + "."
