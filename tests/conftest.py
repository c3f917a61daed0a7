"""Tests run in as many processes as there are cores; those that start daemons or namespaces all run in one of them."""

from pathlib import Path

import pytest

SOFTWARE = Path(__file__).parent / "software"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if SOFTWARE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("software"))
