"""Changes that make a fabric provably safe and keep every pair connected, each with its cost."""
