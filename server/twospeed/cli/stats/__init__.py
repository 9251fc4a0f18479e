"""``twospeed stats``: statistics of past edits, as a table or a page."""
