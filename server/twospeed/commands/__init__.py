"""Runs the commands that the user's own config names. Imported only when one of them runs."""
