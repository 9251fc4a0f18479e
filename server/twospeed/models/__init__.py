"""From a request to text deltas: codecs, HTTP, WebSocket, keys, the catalog of providers, llama.cpp.

`base` is the interface for other rooms. Only the first request imports aiohttp (`connections`).
"""
