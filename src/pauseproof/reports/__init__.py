"""Reports to text and json."""
