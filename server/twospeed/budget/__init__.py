"""Limits set by the user: spending of a day, allowance of one run, and consent to send code."""
