"""What every room shares: documents, positions, edits and facts of code, as plain values. No I/O."""
