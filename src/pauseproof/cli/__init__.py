"""The command line: one file per command; words, options and exit codes only."""
