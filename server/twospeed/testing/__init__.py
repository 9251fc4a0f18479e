"""Scripted models and providers, for the demo and for tests; the server never imports this package."""
