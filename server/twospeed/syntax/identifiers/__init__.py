"""What each name in Python, JavaScript and TypeScript code is: a variable, an attribute, a keyword, a key."""
