"""The fixtures of models: requests, connections and `ask`."""

from tests.models.conftest import api, ask, connections, lab_key, model_at, openai, request_to_model

__all__ = ["api", "ask", "connections", "lab_key", "model_at", "openai", "request_to_model"]
