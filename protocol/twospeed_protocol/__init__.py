"""The protocol of twospeed: method names, messages and closed lists of words.

Clients may rely on everything here; ``protocol/README.md`` explains it. This package does not import the server.
"""

PROTOCOL_VERSION = 1

MAX_PLACES = 100
"""Places of one edit (``ranges``)."""
