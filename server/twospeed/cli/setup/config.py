"""``twospeed config``: write a first config file, print its path, print its JSON Schema."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path

from twospeed.cli.exits import OK, BadInput
from twospeed.cli.visible import complain, visible, write_out
from twospeed.config.paths import CONFIG_VARIABLE, config_path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions of ``config``."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    init = actions.add_parser(
        "init", help="write a first config file, with comments; an existing file is kept"
    )
    init.set_defaults(act=_init)
    path = actions.add_parser("path", help="print the path of the config file, which may not exist")
    path.set_defaults(act=_path)
    schema = actions.add_parser("schema", help="print the JSON Schema of the config file, for editors")
    schema.set_defaults(act=_schema)


def run(options: argparse.Namespace) -> int:
    """Run the action; raises `BadInput` if the file exists or cannot be written."""
    status: int = options.act()
    return status


def _init() -> int:
    from twospeed.cli.doctor.provider_findings import find_providers  # noqa: PLC0415  # only this action needs it

    from .starter import starter_text  # noqa: PLC0415  # as above

    path = config_path(os.environ)
    text = starter_text(asyncio.run(find_providers(os.environ, ())))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        if os.path.lexists(path):
            raise BadInput(f"{path} exists and is unchanged; edit it, or move it away first") from error
        raise BadInput(f"{path} cannot be written: {(error.strerror or 'unknown error').lower()}") from error
    write_out(sys.stdout, f"wrote {visible(str(path))}; edit it, then run twospeed doctor\n")
    return OK


def _path() -> int:
    path = config_path(os.environ)
    write_out(sys.stdout, f"{visible(str(path))}\n")
    if remark := _remark(path):
        complain(remark)  # on stderr, so that a script reads only the path
    return OK


def _remark(path: Path) -> str:
    if os.path.exists(path):  # noqa: PTH110  # pathlib raises if a folder may not be read
        return f"{CONFIG_VARIABLE} names this file" if os.environ.get(CONFIG_VARIABLE) else ""
    named = f"{CONFIG_VARIABLE} names this file, but it" if os.environ.get(CONFIG_VARIABLE) else "the file"
    return f"{named} does not exist; twospeed config init writes it"


def _schema() -> int:
    from twospeed.config.json_schema import config_schema  # noqa: PLC0415  # pydantic, which --help does not need

    write_out(sys.stdout, json.dumps(config_schema(), indent=2) + "\n")
    return OK
