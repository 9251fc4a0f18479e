"""Request in, text deltas out, over any transport: providers, keys, sockets, deadlines, scripted models.

`base` is what other rooms know of a model; `lanes.open_model` makes one from settings.
What may talk to a network imports aiohttp, so it is imported when the first request needs it (`connections`).
Not here: which model serves an edit (`routing`), what it is told (`prompt`), what its text means (`stream`).
"""
