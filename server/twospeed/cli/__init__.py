"""The command line: an LSP client of our own server, and the demo. Editors need nothing of it."""
