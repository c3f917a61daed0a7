"""``python -m pauseproof`` is the command line."""

from pauseproof.cli.main import main

if __name__ == "__main__":
    main()
