"""Messages as bytes and JSON values: framing, limits, error codes, and conversion of values."""
