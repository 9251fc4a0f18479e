"""``twospeed stats``: statistics of past edits as tables, JSON and a page with plots."""
