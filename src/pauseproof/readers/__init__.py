"""Text to records: one file per source format; ``snapshot`` sniffs by content and assembles a folder."""
