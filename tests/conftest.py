"""Tests run in as many processes as there are cores; those that start daemons or namespaces all run in one of them."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# how long an example takes to draw is a matter of what else the machine does
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

SOFTWARE = Path(__file__).parent / "software"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if SOFTWARE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("software"))
