"""How editors connect: stdio, TCP, Unix sockets and WebSocket, with authentication and limits."""
