"""One inline edit, from request to verdict: the only room that knows all the others below `lsp`.

``EditScheduler`` takes requests, queues those that overlap, and keeps the list; ``EditRun`` carries one out; `review` decides
about it afterwards. Not here: LSP messages (`lsp`), what an edit changes (`stream`), how it gets there (`delivery`).
"""
