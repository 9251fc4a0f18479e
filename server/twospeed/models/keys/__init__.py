"""API keys: read from the environment or the system's keyring, sent only to their own origins."""
