"""From the answer to the document: read, validate, apply, repair, and end with one outcome."""
