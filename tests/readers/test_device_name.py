import pytest

from pauseproof.readers.device_name import device_of


@pytest.mark.parametrize(
    ("path", "name"),
    [("leaf1.json", "leaf1"), ("a.b/leaf1.dc2.json.gz", "leaf1"), ("leaf1", "leaf1"), ("-", "-"), (".hidden", ".hidden")],
)
def test_the_name_up_to_the_first_dot(path: str, name: str) -> None:
    assert device_of(path) == name
