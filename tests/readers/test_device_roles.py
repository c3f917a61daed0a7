import pytest

from pauseproof.readers.device_roles import role_of


@pytest.mark.parametrize(
    "word", ["switch", "leaf", "Spine", "super-spine", "superspine", "ToRRouter", "LeafRouter", "BackEndToRRouter", "tor"]
)
def test_switches(word: str) -> None:
    assert role_of(word) == "switch"


@pytest.mark.parametrize("word", ["host", "Server", "servers", "gpu", "compute", "client"])
def test_hosts(word: str) -> None:
    assert role_of(word) == "host"


@pytest.mark.parametrize("word", ["", "SmartCable", "ixr-d2l", "linux", "hostile", "Asic"])
def test_words_that_do_not_tell(word: str) -> None:
    assert role_of(word) == ""
