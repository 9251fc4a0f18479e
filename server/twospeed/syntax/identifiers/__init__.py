"""The role of each name in Python, JavaScript and TypeScript code: variable, attribute, keyword, key."""
