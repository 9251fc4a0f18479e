"""The files with which other package managers install a release: a recipe of MELPA."""

from __future__ import annotations

from urllib.parse import urlsplit


def melpa_recipe(url: str) -> str:
    """Return the recipe of the Emacs client in the repository at an address."""
    parts = urlsplit(url)
    fetchers = {"github.com": "github", "gitlab.com": "gitlab", "codeberg.org": "codeberg"}
    fetcher = fetchers.get(parts.netloc)
    source = (
        f':fetcher {fetcher} :repo "{parts.path.strip("/")}"' if fetcher else f':fetcher git :url "{url}"'
    )
    return f'(twospeed\n {source}\n :files ("editors/emacs/*.el"))\n'
