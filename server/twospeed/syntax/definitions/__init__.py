"""Definitions and symbols: where they begin and end, and what they are called."""
