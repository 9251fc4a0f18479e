"""Limits set by the user: spending of a day, allowance of one run, and consent to send code.

`DaysSpending` counts edits and tokens of a day, `Allowance` limits one page server, `Consent` records the
providers and project notes that the user agreed to.
"""
