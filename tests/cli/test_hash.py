"""The command line of hash: its own first words, and every other word as an argument of the form without one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from pauseproof.cli.hash import COMMANDS, command
from schemas import validate

Run = Callable[..., Any]
ROOT = Path(__file__).resolve().parents[2]
SAMPLES = "topologies/measured/egress.csv"
PACKET = ("--sip", "10.0.1.1", "--dip", "10.0.2.1", "--sport", "49152")
VALUE = ("hash", "value", "--algorithm")


def valid(out: str, schema: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(out)
    validate(told, f"hash-{schema}")
    return told


@pytest.mark.parametrize(("name", "value"), [("crc16", "0xa3cf"), ("ccitt", "0x72cc"), ("crc32lo", "0x23e7")])
def test_a_value_is_printed(name: str, value: str, run: Run) -> None:
    done = run(*VALUE, name, *PACKET, "--proto", "17", "--dport", "4791")
    assert (done.code, done.out) == (0, f"{value}\n")


def test_seed_and_offset_and_member(run: Run) -> None:
    plain = int(run(*VALUE, "crc16", *PACKET).out, 16)
    done = run(*VALUE, "crc16", *PACKET, "--seed", "0xa", "--offset", "4", "--members", "6")
    expected = plain ^ 0xC01B
    expected = (expected >> 4 | expected << 12) & 0xFFFF
    assert done.out == f"0x{expected:04x}\nmember {expected % 6} of 0 to 5\n"


def test_a_value_as_json(run: Run) -> None:
    told = valid(
        run(*VALUE, "linux", "--policy", "1", "--seed", "12345", *PACKET, "--members", "3", "--format", "json").out, "value"
    )
    assert (told["algorithm"], told["value"], told["member"]) == ("linux-policy-1", "0x2818a3e1", 0)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("crc16", *PACKET, "--policy", "1"), "--policy is not for crc16"),
        (("linux", *PACKET, "--offset", "1"), "--offset is not for linux"),
        (("linux", *PACKET, "--field", "src-ip"), "--field is not for linux"),
        (("linux", *PACKET, "--mask", "7"), "--mask is for --policy 3"),
        (("crc16", "--sip", "10.0.0.1", "--dip", "fd00::1", "--sport", "1"), "one address is IPv4 and the other IPv6"),
        (("crc16", "--sip", "leaf1", "--dip", "10.0.0.1", "--sport", "1"), "'leaf1' is no address"),
        (("crc16", *PACKET, "--seed", "4294967296"), "is not within 0 to 4294967295"),
        (("crc16", *PACKET, "--offset", "0x10"), "0x10 is not within 0 to 15"),
        (("crc16", *PACKET, "--seed", "ten"), "'ten' is no number; expected one from 0 to 4294967295, decimal or 0x"),
    ],
)
def test_values_that_there_are_not(words: tuple[str, ...], message: str, run: Run) -> None:
    done = run(*VALUE, *words)
    assert (done.code, done.out) == (2, "")
    assert message in " ".join(done.err.split())


def test_source_ports(run: Run) -> None:
    assert run("hash", "sport", "--qpn", "0x11", "0x22").out == "49730\n"
    assert run("hash", "sport", "--qpn", "677", "795", "--flow-label", "0").out == "63047\n"
    told = valid(run("hash", "sport", "--flow-label", "0x12345", "--format", "json").out, "sport")
    assert told["source_port"] == 58177 and told["flow_label"] == 0x12345 and not told["made_from_queue_pairs"]
    refused = run("hash", "sport", "--flow-label", "0")
    assert refused.code == 2 and "expected --flow-label N, or --qpn A B" in refused.err


def test_samples(run: Run, tmp_path: Path) -> None:
    done = run("hash", "--samples", SAMPLES)
    assert done.code == 1  # leaf2's refute everything
    assert "explains all: crc16 of the five-tuple, seed 0, offset 10\n" in done.out
    told = valid(run("hash", "--samples", SAMPLES, "--format", "json").out, "samples")
    assert [device["device"] for device in told["devices"]] == ["leaf1", "leaf2"]
    first = told["devices"][0]["models"][0]
    assert (first["algorithm"], first["offset"], first["consistent"]) == ("crc16", 10, True)
    assert run("hash", "--samples", SAMPLES, "--output", "out.txt").out == ""
    assert (tmp_path / "out.txt").read_text() == done.out


def test_samples_of_one_device_are_confirmed_or_too_few(run: Run, tmp_path: Path) -> None:
    lines = (tmp_path / SAMPLES).read_text().splitlines(keepends=True)
    (tmp_path / "one.csv").write_text("".join(line for line in lines if not line.startswith("leaf2")))
    assert run("hash", "--samples", "one.csv").code == 0
    assert run("hash", "--samples", "one.csv", "--members", "8", "--seed", "3").code == 0
    (tmp_path / "few.csv").write_text("".join(lines[:8]))
    done = run("hash", "--samples", "few.csv")
    assert done.code == 3 and "too few samples to tell" in done.out
    assert run("hash", "--samples", "one.csv", "--members", "3").code == 2


FABRIC = ("topologies/frr/healthy", "topologies/frr/clos4x2.clab.yml")
LEAF1 = ("--samples", "topologies/measured/leaf1.csv")


def test_samples_of_a_fabric(run: Run, tmp_path: Path) -> None:
    done = run("hash", *FABRIC, "topologies/measured/pauseproof.yaml", *LEAF1)
    assert done.code == 0 and "  32 of 32 left by the port that the fabric says\n" in done.out
    unset = run("hash", *FABRIC, *LEAF1)
    assert unset.code == 3 and "32 samples cannot be told: ecmp algorithm: nothing tells it\n" in unset.out
    text = (tmp_path / LEAF1[1]).read_text()
    (tmp_path / "other.csv").write_text(text.replace("leaf1,", "leaf2,"))
    refuted = run("hash", *FABRIC, "topologies/measured/pauseproof.yaml", "--samples", "other.csv")
    assert refuted.code == 1 and "first refuted at other.csv:4: by swp2, expected swp31\n" in refuted.out
    told = valid(run("hash", *FABRIC, *LEAF1, "--format", "json").out, "samples")
    assert told["devices"][0]["as_set"]["unknown"] == [{"why": "ecmp algorithm: nothing tells it", "samples": 32}]
    assert len(told["inputs"]) > 3


def test_samples_that_are_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("sip,dip,sport,egress\nx,10.0.0.1,1,e\n10.0.0.1,10.0.0.2,70000,e\n")
    done = run("hash", "--samples", "bad.csv")
    assert (done.code, done.out, done.err.count("bad.csv:")) == (2, "", 2)
    assert run("hash", "--samples", "none.csv").code == 2


def test_names_of_samples_cannot_steer_a_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("device,sip,dip,sport,egress\n\x1b[31m,10.0.0.1,10.0.0.2,1,e\n")
    out = run("hash", "--samples", "odd.csv").out
    assert "\x1b" not in out and "\\x1b[31m: 1 sample" in out


def test_the_first_word(run: Run) -> None:
    assert "nothing to do" in run("hash", "--no-color").err
    assert run("hash").code == 2
    for words in (("hash", "-h"), ("hash", "value", "-h"), ("hash", "sport", "--help")):
        done = run(*words)
        assert done.code == 0 and done.out.startswith("Usage: pauseproof hash ")
    assert "--samples FILE" in run("hash", "-h").out


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_of_the_help_of_a_form(name: str, run: Run) -> None:
    form = command.get_command(click.Context(command), name)
    assert form is not None and form.help is not None
    examples = [line.split()[1:] for line in form.help.splitlines() if line.startswith("  pauseproof ")]
    assert examples
    for words in examples:
        assert run(*words).code == 0
