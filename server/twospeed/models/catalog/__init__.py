"""Known providers, their prices and models, and the discovery of keys and local servers."""
