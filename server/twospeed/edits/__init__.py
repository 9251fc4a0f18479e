"""One inline edit, from request to verdict.

`EditScheduler` accepts requests, queues those that overlap, and keeps the list; `EditRun` executes one; `review` decides
about it afterwards. Not here: LSP messages (`lsp`), what an edit changes (`stream`), how it is applied (`delivery`).
"""
