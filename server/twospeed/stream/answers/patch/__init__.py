"""Answers that are patches: unified diffs and SEARCH/REPLACE blocks."""
