"""Before an edit begins: connect, warm the provider's cache, parse the scope."""
