"""The command line: an LSP client of our own server, and the demo.

It uses the same server and the same messages as every editor. Code that an editor needs does not belong here.
"""
