"""Cases that lie beside the project: real inputs with known answers. Tests that use them skip where they are absent."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"


def shared_case(relative: str) -> Path:
    """The path of a case under ``cases/``; skips the calling test where it is absent."""
    path = SHARED / "cases" / relative
    if not path.exists():
        pytest.skip(f"cases beside the project are absent: {relative}")
    return path
