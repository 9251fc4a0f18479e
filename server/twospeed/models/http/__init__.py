"""Requests over HTTP: endpoints, the shared session, and the model that sends them."""
