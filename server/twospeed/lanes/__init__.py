"""The side of routing that does I/O: discovers models, asks for consent, opens the model of a mode.

`LaneSource` (`source`) gives an edit its model. `discovered` converts discovery results to lane entries. The
decisions are pure functions in `routing`.
"""
