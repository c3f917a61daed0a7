"""Cycles, stuck sets, ranks and witnesses."""
