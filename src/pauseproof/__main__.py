"""``python -m pauseproof`` is the command line."""

from pauseproof.cli.main import run

if __name__ == "__main__":
    run()
