"""The name of the device that a file is about, where the file itself does not say it."""

from pathlib import PurePath


def device_of(path: str) -> str:
    """The file name up to the first dot.

    >>> device_of("dumps/leaf1.show_ip_route.json.gz")
    'leaf1'
    """
    name = PurePath(path).name
    return name.partition(".")[0] or name
