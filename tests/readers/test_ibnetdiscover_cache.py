import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.ibnetdiscover_cache import matches, read
from texts import source_of


@pytest.mark.parametrize("magic", [b"\x8f\xe7\x83\x2b", b"\x2b\x83\xe7\x8f"])
def test_a_cache_is_refused_with_the_command_that_converts_it(magic: bytes) -> None:
    data = magic + b"\0\0\0\1" + bytes(20)
    assert matches(data)
    with pytest.raises(BadInput, match=r"ibnetdiscover --load-cache net\.cache > net\.cache\.txt"):
        read(source_of(data, "net.cache"))


def test_text_is_no_cache() -> None:
    assert not matches(b"# Topology file") and not matches(b"")
