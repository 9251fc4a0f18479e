"""One function for each message: it unpacks the params, calls, and packs the result. `lsp.tables` lists them."""
