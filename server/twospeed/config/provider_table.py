"""``[providers.NAME]``: an endpoint, and how it is reached."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from twospeed.errors import UnsafeEndpoint
from twospeed.models.http.endpoints import ENV, Endpoint, parse_endpoint, parse_proxy

from .values import Command, Count, Name, Table


def _variable_name(name: str) -> str:
    # An API key pasted here by mistake has lower-case letters or dashes. It is refused and never shown.
    if not re.fullmatch(r"[A-Z_][A-Z0-9_]*", name):
        raise ValueError(
            "must be the name of an environment variable in capitals, such as LAB_API_KEY, not the key itself"
        )
    return name


def _model_file(path: str) -> str:
    return _absolute(path, "a GGUF file")


def _certificates(path: str) -> str:
    return _absolute(path, "a PEM file")


def _absolute(path: str, what: str) -> str:
    expanded = os.path.expanduser(path)  # noqa: PTH111  # pathlib raises for an unknown user
    if not Path(expanded).is_absolute():
        raise ValueError(f"must be the absolute path of {what}")
    return str(Path(expanded))


def _proxy(address: str) -> str:
    try:
        return address if address == ENV else str(parse_proxy(address))
    except UnsafeEndpoint as error:
        raise ValueError(str(error)) from None


def _endpoint(url: str, values: Mapping[str, Any]) -> Endpoint:
    if not url:
        raise ValueError("is missing")
    try:
        return parse_endpoint(url, insecure_http=values.get("insecure_http", False))
    except UnsafeEndpoint as error:
        raise ValueError(str(error)) from None


class ProviderTable(Table):
    """``[providers.NAME]``: a custom endpoint, or another address for a known one."""

    api: Literal["chat", "responses", "messages", "completions", "llama"]
    insecure_http: bool = False
    base_url: Annotated[str, Field(max_length=2000, validate_default=True)] = ""
    gguf: Annotated[Name, AfterValidator(_model_file)] | None = Field(None, validate_default=True)
    context_tokens: Count | None = None
    api_key_env: Annotated[Name, AfterValidator(_variable_name)] | None = None
    websocket: bool = False
    early_body: bool = False
    prediction: bool = False
    hide_secrets: bool = True
    key_command: Command | None = None
    proxy: Annotated[Name, AfterValidator(_proxy)] | None = None
    ca_file: Annotated[Name, AfterValidator(_certificates)] | None = None
    client_cert: Annotated[Name, AfterValidator(_certificates)] | None = None

    @field_validator("base_url")
    @classmethod
    def _is_valid_for_the_api(cls, url: str, info: ValidationInfo) -> str:
        is_llama = info.data.get("api") == "llama"
        if is_llama and url:
            raise ValueError('is not allowed for api = "llama", whose server chooses its own address')
        if is_llama:
            return url
        endpoint = _endpoint(url, info.data)
        if info.data.get("insecure_http") and endpoint.origin.scheme == "https":
            raise ValueError(
                "begins with https://, so insecure_http = true has no effect; remove one of them"
            )
        return url

    @field_validator("gguf", "context_tokens")
    @classmethod
    def _only_for_llama(cls, value: object, info: ValidationInfo) -> object:
        is_llama = info.data.get("api", "llama") == "llama"
        if value is not None and not is_llama:
            raise ValueError('is only for api = "llama"')
        if value is None and is_llama and info.field_name == "gguf" and "api" in info.data:
            raise ValueError("is missing")
        return value

    @field_validator("prediction")
    @classmethod
    def _only_for_chat(cls, prediction: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic's call
        if prediction and info.data.get("api", "chat") != "chat":
            raise ValueError('is only for api = "chat"')
        return prediction

    @field_validator("early_body")
    @classmethod
    def _only_over_http(cls, early_body: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic's call
        if early_body and info.data.get("websocket"):
            raise ValueError("cannot be combined with websocket = true")
        return early_body

    @field_validator("hide_secrets")
    @classmethod
    def _only_on_this_machine(cls, hide_secrets: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic's call
        url = info.data.get("base_url")
        if not hide_secrets and url and not _endpoint(url, info.data).origin.is_loopback:
            raise ValueError("can be false only for a server on this machine")
        return hide_secrets

    @field_validator("proxy", "ca_file", "client_cert")
    @classmethod
    def _only_over_tls(cls, value: str | None, info: ValidationInfo) -> str | None:
        url = info.data.get("base_url")
        if value and (not url or not url.startswith("https://")):
            raise ValueError("is only for a base_url that begins with https://")
        return value

    @field_validator("key_command")
    @classmethod
    def _only_source_of_the_key(cls, command: list[str] | None, info: ValidationInfo) -> list[str] | None:
        if command and info.data.get("api_key_env"):
            raise ValueError("cannot be combined with api_key_env; remove one of them")
        if command and info.data.get("api") == "llama":
            raise ValueError('is not allowed for api = "llama", which needs no key')
        return command

    @field_validator("websocket")
    @classmethod
    def _only_for_responses(cls, websocket: bool, info: ValidationInfo) -> bool:  # noqa: FBT001  # pydantic's call
        if websocket and info.data.get("api", "responses") != "responses":
            raise ValueError('is only for api = "responses"')
        return websocket
