"""What the user allows: spending a day, an allowance of one run, and consent to send code.

``DaysSpending`` counts edits and tokens against the daily budget, ``Allowance`` limits one page server,
``Consent`` records the providers and project notes that the user agreed to.
"""
