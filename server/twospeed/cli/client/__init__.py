"""A client of our own server over stdio."""
