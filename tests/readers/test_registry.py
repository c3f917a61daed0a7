from collections.abc import Iterable
from pathlib import Path

import pytest

from pauseproof import readers
from pauseproof.fabric.places import BadInput
from pauseproof.readers import registry
from pauseproof.readers.source import open_source
from shared_cases import shared_case
from small_files import SMALL_FILES
from texts import source_of

FOLDER = Path(next(iter(readers.__path__)))


def bytes_of(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def matching(head: bytes) -> list[str]:
    return [module for module in registry.MODULES if registry.reader(module).matches(head)]


def modules_with(words: Iterable[str]) -> set[str]:
    return {path.stem for path in FOLDER.glob("*.py") if all(word in path.read_text() for word in words)}


JOBS = {"job", "nccl_log"}  # named with --job, and told apart there: no part of a fabric


def test_every_reader_is_in_the_table_once() -> None:
    of_fabrics = modules_with(["\nNAME = ", "\ndef matches(", "\ndef read("]) - JOBS
    assert sorted(registry.MODULES) == sorted(of_fabrics)


def test_names_are_unique_and_without_blanks() -> None:
    names = [registry.reader(module).NAME for module in registry.MODULES]
    assert len(set(names)) == len(names)
    assert not any(" " in name for name in names)


def test_there_is_a_sample_of_every_format() -> None:
    assert SMALL_FILES.keys() == set(registry.MODULES)


@pytest.mark.parametrize("module", SMALL_FILES)
def test_a_sample_matches_exactly_its_own_reader(module: str) -> None:
    head = bytes_of(SMALL_FILES[module])
    assert matching(head[:4096]) == [module]
    assert registry.reader_for(head) is registry.reader(module)


@pytest.mark.parametrize("module", [module for module in SMALL_FILES if module != "ibnetdiscover_cache"])
def test_blank_lines_before_the_text_change_nothing(module: str) -> None:
    assert matching(b"\n\r\n \n" + bytes_of(SMALL_FILES[module])) == [module]


@pytest.mark.parametrize("module", SMALL_FILES)
def test_a_sample_is_read_or_refused_for_what_it_is(module: str) -> None:
    source = source_of(SMALL_FILES[module])
    if module in ("ibnetdiscover_cache", "unmodelled"):
        with pytest.raises(BadInput):
            registry.reader(module).read(source)
    else:
        assert registry.reader(module).read(source) is not None


@pytest.mark.parametrize("head", [b"", b"\n\n", b"hello\n", b"\x00" * 4096, b"{}", b"0x", b"Switch", b"#\n" * 2048])
def test_what_is_of_no_format_matches_nothing(head: bytes) -> None:
    assert registry.reader_for(head) is None


REAL = {
    "ring5_minhop/ibnetdiscover.txt": "ibnetdiscover",
    "ring5_minhop/ibnetdiscover.f.txt": "ibnetdiscover",
    "ring5_minhop/ibnetdiscover.p.txt": "ibnetdiscover_ports",
    "ring5_minhop/dump_fts.txt": "fts",
    "ring5_minhop/opensm-lfts.dump": "lfts",
    "ring5_minhop/opensm-subnet.lst": "subnet_lst",
    "ring5_minhop/opensm.fdbs": "fdbs",
    "ring16_dump_fts_defect/ibroute.txt": "fts",
    "ring16_dump_fts_defect/dump_fts.txt.gz": "fts",
    "ring5_dfsssp_lmc1/guid2lid": "guid2lid",
    "torus8x8_torus2qos/opensm-sl2vl.dump.gz": "sl2vl",
    "torus8x8_torus2qos/path-sl.psl.gz": "psl",
    "dgx_aggregation_nodes_minhop/opensm-subnet.lst.gz": "subnet_lst",
}


@pytest.mark.parametrize("file", REAL)
def test_real_files_match_exactly_their_own_reader(file: str) -> None:
    assert matching(open_source(shared_case(f"opensm/{file}")).head) == [REAL[file]]


def test_an_expectation_is_not_a_topology() -> None:
    assert matching(open_source(shared_case("opensm/ring5_minhop/expected.yaml")).head) == []
