"""An engine of SHACL in Python: the number of results of each case of a folder, or "error".

Called as `python by_python.py ENGINE FOLDER`; ENGINE is `pyshacl`, `pyrudof` or `pyshifty`.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from rdflib import SH, Graph


def of_pyshacl(data: str, shapes: str) -> int:
    """Return the number of results of pySHACL."""
    pyshacl: Any = import_module("pyshacl")
    _, report, _ = pyshacl.validate(Graph().parse(data), shacl_graph=Graph().parse(shapes))
    if not isinstance(report, Graph):
        raise TypeError(report)
    return len(set(report.objects(None, SH.result)))


def of_pyrudof(data: str, shapes: str) -> int:
    """Return the number of results of rudof."""
    pyrudof: Any = import_module("pyrudof")
    rudof = pyrudof.Rudof(pyrudof.RudofConfig())
    rudof.read_data(Path(data).read_text(), pyrudof.RDFFormat.Turtle)
    rudof.read_shacl(Path(shapes).read_text(), pyrudof.ShaclFormat.Turtle)
    rudof.validate_shacl()
    text = rudof.serialize_shacl_validation_results(format=pyrudof.ResultShaclValidationFormat.Turtle)
    return len(set(Graph().parse(data=text, format="turtle").objects(None, SH.result)))


def of_pyshifty(data: str, shapes: str) -> int:
    """Return the number of results of shifty."""
    shifty: Any = import_module("shifty")
    _, report, _ = shifty.validate(Path(data), Path(shapes), graph_mode="data", on_unsupported="error")
    return len(set(report.objects(None, SH.result)))


ENGINES: dict[str, Callable[[str, str], int]] = {"pyshacl": of_pyshacl, "pyrudof": of_pyrudof, "pyshifty": of_pyshifty}


def main() -> None:
    """Print a line for each case."""
    engine, folder = ENGINES[sys.argv[1]], Path(sys.argv[2])
    for at in range(len(list(folder.glob("*.data.ttl")))):
        try:
            found: object = engine(*(str(folder / f"{at}.{name}.ttl") for name in ("data", "shapes")))
        except BaseException:  # noqa: BLE001 - an engine may raise anything, panics of Rust too
            found = "error"
        sys.stdout.write(f"{found}\n")


if __name__ == "__main__":
    main()
