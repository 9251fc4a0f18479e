"""The side of routing that does I/O: discover models, ask for consent, open the model of a mode.

``LaneSource`` (`source`) gives an edit its model. ``discovered`` turns what discovery found into entries of lanes.
The decisions themselves are pure functions of `routing`.
"""
