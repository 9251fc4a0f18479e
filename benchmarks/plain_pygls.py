"""A plain pygls server that answers one request, ``bench/ping``, and follows documents as pygls does."""

from pygls.lsp.server import LanguageServer

server = LanguageServer("plain", "1")


@server.feature("bench/ping")
def ping(_server: LanguageServer, _params: object) -> None:
    """Answer."""


if __name__ == "__main__":
    server.start_io()
