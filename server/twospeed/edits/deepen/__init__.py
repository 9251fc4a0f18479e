"""The deep answer of an edit whose draft is lightning's: requested in the background, and offered against the present text."""
