"""Routes to buffer dependencies: the fast exact engine."""
