"""The fixtures of models: requests, connections and keys."""

from tests.models.conftest import connections, lab_key, request_to_model

__all__ = ["connections", "lab_key", "request_to_model"]
