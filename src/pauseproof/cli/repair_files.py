"""``repair --write``: the folders of files, each with a README, and the commands that verify what would be."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pauseproof.cli.folder import write_folder
from pauseproof.cli.options import typed_again
from pauseproof.reports.words import printable

if TYPE_CHECKING:
    from pauseproof.repair.files import Folder
    from pauseproof.repair.repair import Repair

README = "README.txt"


def write_repair(found: "Repair", folder: str, paths: Sequence[str], asked: Mapping[str, Any]) -> None:
    """Write all files or none, and say what was written and how to verify it. Raises click.FileError."""
    from pauseproof.repair.files import folders_of
    from pauseproof.repair.how_to import readme

    files, commands = dict[str, str](), list[str]()
    for one in folders_of(found):
        kept = _that_hold(one, asked)
        command = _command(f"{folder}/{one.name}", one, kept, paths, asked)
        commands += [command] if command else []
        files |= {f"{one.name}/{name}": text for name, text in {README: readme(one.one, command), **kept}.items()}
    if not files:
        print(printable(f"there is no alternative, so {folder} is not written"), file=sys.stderr)
        return
    write_folder(folder, {name: text.encode("utf-8", "backslashreplace") for name, text in files.items()})
    print(printable(f"written: {', '.join(f'{folder}/{name}' for name in sorted(files))}"), file=sys.stderr)
    for command in commands:
        print(printable(f"to verify it: {command}"), file=sys.stderr)


def _command(folder: str, one: "Folder", files: Mapping[str, str], paths: Sequence[str], asked: Mapping[str, Any]) -> str:
    from pauseproof.repair.check_again import check_words

    words = check_words(folder, files, one.one.judged.asked.network.inputs, paths)
    return " ".join(word for word in ("pauseproof verify", *words, typed_again((), asked)) if word) if words else ""


def _that_hold(one: "Folder", asked: Mapping[str, Any]) -> dict[str, str]:
    """The files, without tables in CSV that do not say all that the alternative says: they are read, and verified."""
    from pauseproof.repair.routes_csv import FILE

    files = dict(one.files)
    if FILE in files and not _says_the_same(one, files[FILE], asked):
        del files[FILE]
    return files


def _says_the_same(one: "Folder", text: str, asked: Mapping[str, Any]) -> bool:
    import pauseproof
    from pauseproof.fabric.places import BadInput
    from pauseproof.findings.verdict import coverage
    from pauseproof.repair.check_again import kept_inputs
    from pauseproof.repair.routes_csv import FILE

    judged = one.one.judged
    with tempfile.TemporaryDirectory() as folder:
        tables = Path(folder) / FILE
        tables.write_text(text, encoding="utf-8")
        try:
            again = pauseproof.load(tables, *kept_inputs([FILE], judged.asked.network.inputs))
            (report,) = pauseproof.verify(again, **asked).fabrics
        except BadInput:
            return False
    same = {**report.coverage, "tables": 0} == {**coverage(judged.asked, judged.analysis), "tables": 0}
    return report.verdict is judged.verdict and same
