"""The only room that knows LSP, JSON-RPC and pygls. Importing it loads nothing heavy."""
