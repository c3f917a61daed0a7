import pytest

from pauseproof.fabric.places import BadInput
from pauseproof.readers.flow_file import FlowLine, read_flow_file
from pauseproof.readers.source import Source


def read(text: str) -> tuple[FlowLine, ...]:
    raw = text.encode()
    return read_flow_file(Source("flows.yaml", raw, raw))


def test_a_flow_has_defaults() -> None:
    (line,) = read("flows:\n  - {src: a, dst: b}\n")
    assert (line.src.text, line.dst.text, line.share, line.gbps) == ("a", "b", 1.0, None)
    assert (line.start, line.stop, line.arrivals, line.label) == (0, None, "paced", None)
    assert str(line.place) == "flows.yaml:2:5"


def test_everything_can_be_said() -> None:
    (line,) = read('flows: [{src: a, dst: "b:2", rate: 0.25, start: 5us, stop: 1.5ms, arrivals: random, label: "26"}]')
    assert (line.dst.text, line.share, line.start, line.stop) == ("b:2", 0.25, 5 * 10**6, 1500 * 10**6)
    assert line.arrivals == "random" and line.label is not None and line.label.text == "26"
    assert [one.gbps for one in read("flows: [{src: a, dst: b, rate: 5.2G}, {src: a, dst: b, rate: 100 Gb/s}]")] == [5.2, 100.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a file of flows must be a mapping, found a single value"),
        ("flows: []", "flows.yaml: holds no flow; expected flows: with a list of {src, dst}"),
        ("flow: [{src: a, dst: b}]", "unknown key 'flow' in a file of flows; did you mean 'flows'?"),
        ("flows: [{src: a}]", "flows.yaml:1:9: a flow needs the key 'dst'"),
        ("flows: [a]", "a flow must be a mapping"),
        ("flows: [{src: a, dst: b, rate: 0}]", "rate '0' is neither a share of line rate above 0 and up to 1, nor a speed"),
        ("flows: [{src: a, dst: b, rate: 2}]", "rate '2' is neither"),
        ("flows: [{src: a, dst: b, rate: -1G}]", "speed '-1G' is not understood"),
        ("flows: [{src: a, dst: b, rate: [1]}]", "rate must be a single value"),
        ("flows: [{src: a, dst: b, start: 5}]", "duration '5' is not understood; expected a number with ns, us, ms or s"),
        ("flows: [{src: a, dst: b, stop: 900s}]", "duration '900s' is beyond 100 s"),
        ("flows: [{src: a, dst: b, start: 2us, stop: 2us}]", "a flow must stop after it starts"),
        ("flows: [{src: a, dst: b, arrivals: rnd}]", "arrivals 'rnd' is not known; did you mean 'random'?"),
        ("flows: [{src: a, dst: '', rate: 1}]", "dst is empty"),
        ("flows: [{src: a, src: b, dst: c}]", "the key 'src' is there twice"),
    ],
)
def test_what_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        read(text)
    assert said in str(refused.value)
    assert "Traceback" not in str(refused.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(BadInput) as refused:
        read("flows: [{src: a, dst: b, rate: 7}, {src: a, dst: b, start: x}, {dst: b}]")
    assert len(refused.value.problems) == 3
