import pytest

from pauseproof.readers.xml_tree import read_xml
from texts import refusal, source_of

TEXT = """\

<?xml version="1.0"?>
<a:root xmlns:a="x" a:kind="k">
  <b>one<!-- not this --> &amp; <![CDATA[two]]></b>
  <b><b x="1"/></b>
  <c/>
</a:root>
"""


def test_elements_texts_and_lines() -> None:
    root = read_xml(source_of(TEXT))
    assert (root.tag, root.attributes["kind"], root.line) == ("root", "k", 3)
    assert [(one.text, one.line) for one in root.all("b")] == [("one & two", 4), ("", 5)]
    assert [(one.line, dict(one.attributes)) for one in root.every("b")] == [(4, {}), (5, {}), (5, {"x": "1"})]
    assert root.text_of("b") == "one & two" and root.text_of("d") == "" and [c.tag for c in root.children] == ["b", "b", "c"]


def test_a_byte_order_mark_and_other_encodings() -> None:
    assert read_xml(source_of(b"\xef\xbb\xbf<a>\xc3\xa9</a>")).text == "é"
    assert read_xml(source_of('<?xml version="1.0" encoding="latin-1"?><a>\xe9</a>'.encode("latin-1"))).text == "é"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1: is not whole XML: no element found"),
        ("\n\n<a>", "3: is not whole XML: no element found"),
        ("<a>\n</b>", "2: is not whole XML: mismatched tag"),
        ("<a/><b/>", "1: is not whole XML: junk after document element"),
        ("<a>\n&b;</a>", "2: is not whole XML: undefined entity"),
        ("<!DOCTYPE a>\n<a/>", "1: declares a document type"),
        ('<?xml version="1.0" encoding="nonsense"?><a/>', ": is not"),
        ("<a>" * 100, "1: is nested more than 64 deep"),
        (b"<a>\xff</a>", "1: is not whole XML: not well-formed"),
    ],
)
def test_what_is_refused(text: str | bytes, said: str) -> None:
    assert said in refusal(read_xml, text)[0]
