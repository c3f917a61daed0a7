"""XML as a tree of elements with their lines. Bounded: size, depth, number of elements; no DTD, so no entities at all.

Namespace prefixes are dropped: ``a:Name`` is ``Name``. An element's text is what stands directly in it, stripped.
"""

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl, Locator

from pauseproof.fabric.places import BadInput, Place
from pauseproof.readers.source import Source

MAX_BYTES = 256 << 20
MAX_DEPTH = 64
MAX_ELEMENTS = 4_000_000


@dataclass(slots=True)
class Element:
    """One element."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    children: "list[Element]" = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> "Iterator[Element]":
        """The children of this name."""
        return (child for child in self.children if child.tag == tag)

    def text_of(self, tag: str) -> str:
        """The text of the first child of this name, empty where there is none."""
        return next((child.text for child in self.all(tag)), "")

    def every(self, tag: str) -> "Iterator[Element]":
        """The elements of this name, this one and all inside it, in the order of the file."""
        todo = [self]
        while todo:
            one = todo.pop()
            if one.tag == tag:
                yield one
            todo.extend(reversed(one.children))


def read_xml(source: Source) -> Element:
    """The root of the one document in a file. Raises BadInput."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.sax import make_parser

    if len(source.data) > MAX_BYTES:
        raise BadInput.at(Place(source.path), f"is larger than {MAX_BYTES >> 20} MiB, the most that an XML file may be")
    data = bytes(source.data).lstrip()
    above = bytes(source.data[: len(source.data) - len(data)]).count(b"\n")
    builder, parser = _Builder(source.path, above), make_parser()
    parser.forbid_dtd = True
    parser.setContentHandler(builder)
    try:
        parser.parse(io.BytesIO(data))
    except SAXParseException as error:
        place = Place(source.path, (error.getLineNumber() or 0) + above, (error.getColumnNumber() or 0) + 1)
        raise BadInput.at(place, f"is not whole XML: {error.getMessage()}; expected a file that ends as it began") from error
    except DefusedXmlException as error:
        said = "declares a document type, which can hold entities that expand without bound; expected XML without <!DOCTYPE>"
        raise BadInput.at(Place(source.path, builder.line), said) from error
    except (ValueError, LookupError) as error:  # encodings that are not known
        raise BadInput.at(Place(source.path), f"is not XML: {error}") from error
    return builder.root


class _Builder(ContentHandler):
    """Builds the tree from the events of the parser."""

    def __init__(self, path: str, above: int) -> None:
        super().__init__()
        self.path, self.above = path, above
        self.root = Element("", {}, 1)
        self.open: list[Element] = []
        self.texts: list[list[str]] = []
        self.elements = 0
        self.locator: Any = None

    @property
    def line(self) -> int:
        return self.above + ((self.locator.getLineNumber() or 1) if self.locator else 1)

    def setDocumentLocator(self, locator: Locator) -> None:
        self.locator = locator

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self.elements += 1
        if len(self.open) >= MAX_DEPTH:
            raise BadInput.at(Place(self.path, self.line), f"is nested more than {MAX_DEPTH} deep")
        if self.elements > MAX_ELEMENTS:
            raise BadInput.at(Place(self.path, self.line), f"holds more than {MAX_ELEMENTS} elements")
        attributes = {_local(key): value for key, value in attrs.items()}
        element = Element(_local(name), attributes, self.line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        self.texts.append([])

    def characters(self, content: str) -> None:
        if self.texts:
            self.texts[-1].append(content)

    def endElement(self, name: str) -> None:
        self.open.pop().text = "".join(self.texts.pop()).strip()


def _local(name: str) -> str:
    return name.rpartition(":")[2]
