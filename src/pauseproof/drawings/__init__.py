"""Loops and folded fabrics to dot, svg and png."""
