"""A client of our own server over stdio: the connection, one conversation, consent and interrupts."""
