import shutil
from pathlib import Path

import pytest

from pauseproof.drawings.document import Dot
from pauseproof.drawings.dot import loop_dot
from pauseproof.drawings.picture import loop_picture
from pauseproof.drawings.render import CannotDraw, render
from sample_fabrics import clos
from sample_loops import loop_along


def loop() -> Dot:
    fabric = clos(4, 2)
    return loop_dot(loop_picture(loop_along(fabric, [1, 5, 3, 4]), fabric))


@pytest.fixture(params=["system", "pure"])
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "system" and not shutil.which("dot"):
        pytest.skip("Graphviz is not installed")
    if request.param == "pure":
        which = shutil.which
        monkeypatch.setattr(shutil, "which", lambda name, path=None: None if name == "dot" else which(name, path=path))
    return str(request.param)


@pytest.mark.parametrize(("format", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_svg_and_png_come_from_either_program(program: str, format: str, start: bytes) -> None:
    dot = loop()
    drawn = render(dot.source, dot.engine, format)
    assert drawn.startswith(start)
    assert format == "png" or b"spine2" in drawn
    assert drawn == render(dot.source, dot.engine, format)


def test_dot_needs_no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    assert render("digraph {}", "dot", "dot") == b"digraph {}"


def test_without_any_program_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    with pytest.raises(CannotDraw, match="pip install graphviz-pure"):
        render("digraph {}", "dot", "svg")


def test_source_that_is_no_dot_is_said_to_be_so(program: str) -> None:
    with pytest.raises(CannotDraw, match="failed"):
        render("digraph {", "dot", "svg")


def test_pure_writes_no_pdf(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None if name == "dot" else str(Path("x")))
    with pytest.raises(CannotDraw, match="pdf needs Graphviz"):
        render("digraph {}", "dot", "pdf")


def test_other_formats_are_refused_with_the_list() -> None:
    with pytest.raises(CannotDraw, match="expected one of svg, png, pdf, dot"):
        render("digraph {}", "dot", "bmp")
