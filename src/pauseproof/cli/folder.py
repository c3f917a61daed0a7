"""A folder of files that appears whole or not at all."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import click


def write_folder(path: str, files: Mapping[str, bytes]) -> None:
    """Make the folder ``path``, which must not exist, with ``files`` by their names in it. Raises click.FileError."""
    target = Path(path)
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as beside:
            whole = Path(beside) / target.name
            for name, content in files.items():
                file = whole / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
            if target.exists():
                raise FileExistsError(0, "it is there already", path)
            whole.rename(target)
    except OSError as error:
        raise click.FileError(path, f"cannot be written: {error.strerror or error}") from error
