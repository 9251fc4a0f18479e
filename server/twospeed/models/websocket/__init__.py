"""The WebSocket of OpenAI's Responses: one connection, several responses at a time."""
