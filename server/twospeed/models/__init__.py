"""From a request to text deltas, over any transport: providers, keys, sockets, deadlines.

`base` is the interface for other rooms; `lanes.open_model` creates a model from settings. Modules that use the
network import aiohttp, so the first request imports them (`connections`). Not here: the choice of a model
(`routing`), the prompt (`prompt`), the meaning of the answer (`stream`).
"""
