"""A packet-level model of a witness on its fabric: does it stop for good? Shares no code with the engine."""
