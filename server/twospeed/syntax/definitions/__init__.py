"""Definitions and symbols: where they start and end, and their names."""
