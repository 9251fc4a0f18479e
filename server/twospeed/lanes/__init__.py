"""The side of routing that does I/O: discovers models, asks for consent, opens the model of a mode."""
