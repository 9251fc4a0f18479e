"""``twospeed stats``: the figures of past edits, as a table or a page."""
