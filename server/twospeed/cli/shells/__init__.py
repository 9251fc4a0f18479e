"""Completion for shells and the man page, generated from the argument parser."""
