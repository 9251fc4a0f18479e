"""What edits were like: rows in a file on this machine, and figures of them; no word of code or instruction."""
