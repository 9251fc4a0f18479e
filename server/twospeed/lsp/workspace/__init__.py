"""The workspace of one connection: its folder, symbols and notes."""
