"""HTTP: endpoints, the shared session, and the model that uses them."""
