"""What an answer leaves out: definitions, lines, names, imports, ends of the scope."""
