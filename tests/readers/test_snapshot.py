import gzip
import hashlib
import io
import os
import resource
import sys
from pathlib import Path

import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers import registry
from pauseproof.readers.snapshot import read_snapshot
from route_files import FRR_ROUTES
from shared_cases import shared_case
from small_files import GUID2LID, MCFDBS, PATH_RECORDS, PLFT, PSL, SL2VL, SLVL, SUBNET_LST


def folder_of(tmp_path: Path, **files: str) -> Path:
    for name, text in files.items():
        (tmp_path / name.replace("__", ".")).write_text(text)
    return tmp_path


def refused(*paths: Path | str) -> list[str]:
    with pytest.raises(BadInput) as caught:
        read_snapshot(paths)
    return list(map(str, caught.value.problems))


def test_a_folder_is_read_in_the_order_of_names_and_grouped(tmp_path: Path) -> None:
    folder = folder_of(
        tmp_path, c__psl=PSL, b__slvl=SLVL, a__sl2vl=SL2VL, d=GUID2LID, e=MCFDBS, f__lst=SUBNET_LST, g=PATH_RECORDS
    )
    snapshot = read_snapshot([folder])
    assert [Path(one.path).name for one in snapshot.inputs] == ["a.sl2vl", "b.slvl", "c.psl", "d", "e", "f.lst", "g"]
    assert [one.format for one in snapshot.inputs] == [
        "sl2vl",
        "slvl",
        "psl",
        "guid2lid",
        "mcfdbs",
        "subnet-lst",
        "path-records",
    ]
    assert [Path(one.file).name for one in snapshot.lane_maps] == ["a.sl2vl", "b.slvl"]
    assert [one.by_port for one in snapshot.path_labels] == [False, True]
    assert len(snapshot.lid_ranges) == len(snapshot.multicast) == len(snapshot.cabling) == 1
    assert not snapshot.forwarding and not snapshot.adaptive and not snapshot.native


def test_digests_are_of_the_file_as_it_lies_on_disk(tmp_path: Path) -> None:
    packed = gzip.compress(PSL.encode())
    (tmp_path / "a.psl.gz").write_bytes(packed)
    assert read_snapshot([tmp_path]).inputs[0].sha256 == hashlib.sha256(packed).hexdigest()


def test_unknown_files_of_a_folder_are_skipped_with_the_reason(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, a__log="-I- hello\n", b="", c__psl=PSL, opensm_lid="x", __hidden=PSL)
    (tmp_path / "opensm_lid").rename(tmp_path / "opensm-lid-matrix.dump")
    snapshot = read_snapshot([folder])
    assert [(Path(one.path).name, one.format, one.skipped) for one in snapshot.inputs] == [
        ("a.log", "", "it seems to be a log"),
        ("b", "", "it is empty"),
        ("c.psl", "psl", ""),
        ("opensm-lid-matrix.dump", "", "hop counts, which are not needed"),
    ]


def test_a_named_file_is_understood_or_refused(tmp_path: Path) -> None:
    folder_of(tmp_path, a__log="-I- hello\n", b="", c="\x00\x01", d="<html>")
    said = refused(*(tmp_path / name for name in ("a.log", "b", "c", "d")))
    assert [one.partition("; ")[0].removeprefix(str(tmp_path)) for one in said] == [
        "/a.log: not understood: it seems to be a log",
        "/b: not understood: it is empty",
        "/c: not understood: it seems to be a binary file",
        "/d: not understood: it seems to be a web page",
    ]
    assert all("expected one of: ibnetdiscover, " in one and "psl" in one for one in said)


def test_where_the_reason_says_what_to_give_instead_the_list_of_formats_is_left_out(tmp_path: Path) -> None:
    folder_of(tmp_path, leaf1__json='{\n"tableVersion": 20, "localAS": 65102, "routes": {}}\n')
    (said,) = refused(tmp_path / "leaf1.json")
    assert said.endswith("not a forwarding table; expected the output of show ip route json")


def test_gzip_is_unpacked_and_broken_gzip_is_refused_even_in_a_folder(tmp_path: Path) -> None:
    packed = gzip.compress(PSL.encode())
    (tmp_path / "a.psl.gz").write_bytes(packed)
    assert len(read_snapshot([tmp_path]).path_labels[0].line) == 3
    (tmp_path / "b.psl.gz").write_bytes(packed[:-9])
    assert refused(tmp_path)[0].startswith(f"{tmp_path}/b.psl.gz: is not a whole gzip file")


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(PSL.encode()))))
    snapshot = read_snapshot(["-"])
    assert snapshot.inputs[0].path == "-" and len(snapshot.path_labels) == 1


def test_a_file_given_twice_is_read_once(tmp_path: Path) -> None:
    folder_of(tmp_path, a__psl=PSL)
    for paths in ([tmp_path / "a.psl", tmp_path], [tmp_path, tmp_path / "a.psl"], [tmp_path, tmp_path]):
        assert len(read_snapshot(paths).path_labels) == 1


def test_a_skipped_file_is_refused_once_it_is_named(tmp_path: Path) -> None:
    folder_of(tmp_path, a__psl=PSL, b="hello\n")
    assert refused(tmp_path, tmp_path / "b")[0].startswith(f"{tmp_path}/b: not understood")


def test_the_problems_of_several_files_are_told_together(tmp_path: Path) -> None:
    folder_of(tmp_path, a__psl=PSL + "x\n", b__psl="0x0a 1 16\n", c__psl=PSL)
    said = refused(tmp_path, tmp_path / "missing")
    assert [one.removeprefix(str(tmp_path)).partition(" ")[0] for one in said] == ["/a.psl:4:", "/b.psl:1:", "/missing:"]


def test_a_missing_path_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "missing") == [f"{tmp_path}/missing: cannot be read: No such file or directory"]


def test_nothing_to_check(tmp_path: Path) -> None:
    (said,) = refused(tmp_path)
    assert said.startswith(f"{tmp_path}: nothing to check in this folder: expected cabling (ibnetdiscover, ")
    (tmp_path / "inner").mkdir()
    folder_of(tmp_path, a__log="-I- hello\n")
    (said,) = refused(tmp_path)
    assert said.endswith("; 1 file was skipped: a.log (it seems to be a log); folders in it are not looked into: inner")
    assert refused()[0].startswith("(no input): nothing to check")


def test_what_is_not_modelled_is_refused_and_its_empty_form_skipped(tmp_path: Path) -> None:
    folder_of(tmp_path, a__psl=PSL, b__plft="# nothing here\n")
    assert read_snapshot([tmp_path]).inputs[1].skipped == "it names no switch"
    folder_of(tmp_path, c__plft=SL2VL, d=PLFT)
    assert [one.removeprefix(str(tmp_path))[:37] for one in refused(tmp_path)] == [
        "/c.plft: several forwarding tables a ",
        "/d: several forwarding tables a switc",
    ]


def test_pipes_in_a_folder_are_not_opened(tmp_path: Path) -> None:
    folder_of(tmp_path, a__psl=PSL)
    os.mkfifo(tmp_path / "b")
    assert len(read_snapshot([tmp_path]).inputs) == 1


def test_a_real_folder() -> None:
    snapshot = read_snapshot([shared_case("opensm/ring5_dfsssp_lmc1")])
    formats = {Path(one.path).name: one.format for one in snapshot.inputs}
    modules = {
        "guid2lid": "guid2lid",
        "opensm-lfts.dump": "lfts",
        "opensm-sl2vl.dump": "sl2vl",
        "opensm-subnet.lst": "subnet_lst",
        "opensm.fdbs": "fdbs",
        "path-sl.psl": "psl",
    }
    assert formats == {"expected.yaml": ""} | {name: registry.reader(module).NAME for name, module in modules.items()}
    assert len(snapshot.forwarding) == 2 and len(snapshot.cabling) == 1


def test_a_dump_that_lost_its_beginning_is_not_skipped(tmp_path: Path) -> None:
    """Without its SL-to-VL tables a fabric could look free."""
    folder_of(tmp_path, a__psl=PSL)
    (tmp_path / "opensm-sl2vl.dump").write_text(SL2VL.partition("\n")[2])
    (said,) = refused(tmp_path)
    assert said.startswith(f"{tmp_path}/opensm-sl2vl.dump: going by its name or its lines this is SL-to-VL tables, but ")


def test_dumps_that_are_no_files_are_not_passed_over(tmp_path: Path) -> None:
    folder_of(tmp_path, a__psl=PSL)
    (tmp_path / "opensm-sl2vl.dump").symlink_to(tmp_path / "gone")
    (tmp_path / "b.lst").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "c.slvl")
    (tmp_path / "opensm.mcfdbs").mkdir()
    assert [one.removeprefix(str(tmp_path)).partition(",")[0] for one in refused(tmp_path)] == [
        "/b.lst: going by its name this is cabling",
        "/c.slvl: going by its name this is SL-to-VL tables",
        "/opensm-sl2vl.dump: going by its name this is SL-to-VL tables",
    ]


def test_devices_and_empty_paths_are_refused(tmp_path: Path) -> None:
    assert refused("/dev/zero", "") == [
        "/dev/zero: is a device; expected a file",
        "(no name): an empty path; expected a file, a folder, or - for stdin",
    ]


def test_a_pipe_is_read() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, PSL.encode())
    os.close(write_end)
    assert len(read_snapshot([f"/dev/fd/{read_end}"]).path_labels[0].line) == 3
    os.close(read_end)


def test_gzip_within_gzip_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.psl.gz").write_bytes(gzip.compress(gzip.compress(PSL.encode())))
    assert refused(tmp_path) == [f"{tmp_path}/a.psl.gz: is gzip within gzip; expected text, or text in gzip: unpack it once"]


def test_a_thousand_files_are_not_open_at_once(tmp_path: Path) -> None:
    for i in range(40):
        (tmp_path / f"leaf{i}.json").write_text(FRR_ROUTES)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    in_use = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (in_use + 20, hard))
    try:
        snapshot = read_snapshot([tmp_path])
        digests = [one.sha256 for one in snapshot.inputs]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(snapshot.routes) == 40
    assert set(digests) == {hashlib.sha256((tmp_path / "leaf0.json").read_bytes()).hexdigest()}
