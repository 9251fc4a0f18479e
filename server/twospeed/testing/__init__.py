"""Scripted models and providers, for the demo and for tests.

`ScriptedModel` answers in memory. `ScriptedServer` is an HTTP and WebSocket server on 127.0.0.1 with Chat
Completions, Messages and Responses. The server never imports this package.
"""
