"""Certificates as files: JSON, gzip where the name says so; the same bytes for the same certificate."""

import gzip
import json
from typing import Any

from pauseproof.deadlock.certificate import Certificate
from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.source import open_source


def certificate_bytes(certificate: Certificate, path: str) -> bytes:
    """What to write to ``path``."""
    text = json.dumps(certificate, indent=1, ensure_ascii=True) + "\n"
    return gzip.compress(text.encode(), mtime=0) if path.endswith(".gz") else text.encode()


def read_certificate(path: str) -> dict[str, Any]:
    """The certificate in a file. Raises BadInput where there is none."""
    source = open_source(path)
    try:
        content = json.loads(bytes(source.data), object_pairs_hook=_without_twins)
    except json.JSONDecodeError as error:
        raise BadInput.at(Place(path, error.lineno, error.colno), f"not a whole JSON file: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise BadInput.at(Place(path), f"not a certificate: {error}") from error
    if not isinstance(content, dict):
        raise BadInput.at(Place(path), "not a certificate; expected what `pauseproof prove` writes")
    return content


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"the key {twice!r:.60} stands twice in one object")
    return out
