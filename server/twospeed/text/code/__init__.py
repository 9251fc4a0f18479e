"""Values that describe source code: scopes, symbols, language ids, words of names."""
