"""Values that describe source code: scopes, symbols, language ids, the words of a name."""
