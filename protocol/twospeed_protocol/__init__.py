"""The wire contract of twospeed: method names, messages, closed lists of words.

Everything here is what a client may rely on; ``protocol/README.md`` explains it. Imports nothing of the server.
"""

PROTOCOL_VERSION = 1
