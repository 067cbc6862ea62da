"""Cards as the peers show them: JupyterLab, Notebook and nbconvert of PyPI, and the style sheets of other hosts."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests.reports.browser import NAMES, PATIENCE, Browser, binary

NOTEBOOK = Path(__file__).parents[1] / "docs" / "examples" / "metals.ipynb"
HOST = "127.0.0.1"
HOST_SHEETS = {
    "VS Code": "table,thead,tr,th,td,tbody{border:none;border-spacing:0;border-collapse:collapse}"
    "table,th,tr{vertical-align:middle;text-align:right}th,td{padding:4px 8px;text-align:right}"
    "tr:nth-child(even){background-color:rgba(130,130,130,.08)}tbody th{font-weight:normal}",
    "Bootstrap": "caption{padding:.5rem 0;color:#6c757d;caption-side:bottom}th{text-align:-webkit-match-parent}"
    ".cell-output-display table{width:100%;table-layout:fixed;text-align:center}td{text-align:center}"
    "dt{float:left;width:20%}pre{margin-bottom:1rem;white-space:pre}",
}
"""What the sheets of hosts that no index has do to tables."""
FAULTS = """
(() => {
  const faults = [];
  const lines = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
  };
  const left = (cell) => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return range.getBoundingClientRect().left - cell.getBoundingClientRect().left;
  };
  for (const cell of document.querySelectorAll('.ckld th, .ckld td')) {
    if (!cell.textContent || !cell.checkVisibility()) continue;
    if (getComputedStyle(cell).textAlign !== 'left' || left(cell) > 20) faults.push(['not left', cell.textContent]);
  }
  for (const row of document.querySelectorAll('.ckld table.facts tr')) {
    const [key, value] = row.cells;
    if (lines(key) !== 1) faults.push(['key broken', key.textContent]);
    const [left, right] = [key.getBoundingClientRect(), value.getBoundingClientRect()];
    if (right.left < left.right - 1 || Math.abs(right.top - left.top) > 1) faults.push(['not beside', key.textContent]);
  }
  for (const card of document.querySelectorAll('.ckld'))
    if (card.getBoundingClientRect().right > innerWidth) faults.push(['too wide', card.textContent.slice(0, 80)]);
  const colour = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
  for (const name of document.querySelectorAll('.ckld b.name, .ckld td')) {
    if (!name.textContent || !name.checkVisibility()) continue;
    let under = name, back = [];
    while (under && (back = colour(getComputedStyle(under).backgroundColor), back.length === 4 && back[3] === 0))
      under = under.parentElement;
    const ground = under ? light(back) : 1;
    if (Math.abs(light(colour(getComputedStyle(name).color)) - ground) < 0.5) faults.push(['pale', name.textContent]);
  }
  return faults;
})()
"""
CARDS = "[...document.querySelectorAll('.ckld table.facts')].filter((one) => one.getClientRects().length).length"


@pytest.fixture  # a new one for each page: JupyterLab asks before one leaves a notebook
def browser(tmp_path: Path) -> Iterator[Browser]:
    command = binary()
    if command is None:
        pytest.skip(f"no browser to look at cards: install Chromium so that one of {', '.join(NAMES)} is on PATH")
    with Browser(command, tmp_path / "browser", reaches=HOST) as started:
        started.look(width=1100, height=6000)
        yield started


def environment(folder: Path) -> dict[str, str]:
    """Return an environment in which Jupyter's own files are in a folder."""
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR", "HOME")
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR", "VIRTUAL_ENV")}
    # Where the packages are, which need not be the environment of the tests.
    shared = [
        str(Path(found.origin).parents[4] / "share" / "jupyter")
        for found in [find_spec("nbconvert")]
        if found and found.origin
    ]
    return {**kept, **{name: str(folder / name.lower()) for name in places}, "JUPYTER_PATH": os.pathsep.join(shared)}


def jupyter(application: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", *application.split(), *arguments]


@pytest.fixture(scope="module", params=["JupyterLab Light", "JupyterLab Dark"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a server of JupyterLab and Notebook with a theme, and the notebook trusted and not."""
    for name in ("jupyterlab", "notebook"):
        pytest.importorskip(name, reason=f"cards are shown in {name}: make .venv/.integrations-group")
    folder = tmp_path_factory.mktemp("jupyter")
    root, places = folder / "root", environment(folder)
    root.mkdir()
    theme = folder / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"
    theme.parent.mkdir(parents=True)
    theme.write_text(json.dumps({"theme": request.param, "adaptive-theme": False}), encoding="utf-8")
    notification = theme.with_name("notification.jupyterlab-settings")
    notification.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}), encoding="utf-8")
    both = {"ServerApp": {"jpserver_extensions": {"jupyterlab": True, "notebook": True}}}
    (folder / "jupyter_config_dir").mkdir()
    (folder / "jupyter_config_dir" / "jupyter_server_config.json").write_text(json.dumps(both), encoding="utf-8")
    shutil.copy(NOTEBOOK, root / "untrusted.ipynb")
    shutil.copy(NOTEBOOK, root / "trusted.ipynb")
    signed = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    signed["metadata"]["title"] = "signed"  # a signature is one of the content, and both would have it
    (root / "trusted.ipynb").write_text(json.dumps(signed), encoding="utf-8")
    subprocess.run(jupyter("jupyter trust", str(root / "trusted.ipynb")), env=places, check=True, capture_output=True)
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    settings = (
        *("--no-browser", "--allow-root", f"--ServerApp.root_dir={root}", f"--ServerApp.ip={HOST}"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="),
    )
    log = (folder / "log").open("wb")
    process = subprocess.Popen(jupyter("jupyterlab", *settings), env=places, stdout=log, stderr=log, cwd=root)
    url = f"http://{HOST}:{port}"
    until = time.monotonic() + PATIENCE
    try:
        while True:
            try:
                with urlopen(f"{url}/api", timeout=PATIENCE):
                    break
            except URLError:
                assert process.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < until, "the server of Jupyter does not answer"
                time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait(PATIENCE)
        log.close()


def shown(browser: Browser, url: str) -> Any:
    """Return the faults of the cards of a page, once it has all of them."""
    browser.send("Page.navigate", url=url)
    until = time.monotonic() + PATIENCE
    count, at_rest = 0, 0
    while at_rest < 10:
        now = browser.ask(CARDS) or 0
        at_rest = at_rest + 1 if now == count and now >= 5 else 0
        count = now
        assert time.monotonic() < until, f"cards never appear: {browser.ask('document.body.innerText')}"
        time.sleep(0.1)
    return browser.ask(FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["trusted", "untrusted"])
@pytest.mark.parametrize("application", ["lab/workspaces/{}/tree", "notebooks"])
def test_cards_are_right_in_jupyter(browser: Browser, server: str, application: str, name: str) -> None:
    faults = shown(browser, f"{server}/{application.format(name)}/{name}.ipynb")
    assert faults == []
    sheets = browser.ask("document.querySelectorAll('.ckld style').length")
    assert bool(sheets) == (name == "trusted")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("template", ["lab", "classic"])
def test_cards_are_right_in_a_page_of_nbconvert(browser: Browser, tmp_path: Path, template: str, theme: str) -> None:
    pytest.importorskip("nbconvert", reason="nbconvert makes the page: make .venv/.integrations-group")
    page = tmp_path / "cards.html"
    wanted = ("--to", "html", "--template", template, "--theme", theme, "--output", str(page), str(NOTEBOOK))
    subprocess.run(jupyter("nbconvert", *wanted), env=environment(tmp_path), check=True, capture_output=True)
    assert shown(browser, page.as_uri()) == []


@pytest.mark.slow
@pytest.mark.parametrize("host", HOST_SHEETS)
@pytest.mark.parametrize("colours", ["#fff;color:#111", "#1e1e1e;color:#ddd"])
def test_cards_are_right_under_the_sheets_of_other_hosts(
    browser: Browser, tmp_path: Path, host: str, colours: str
) -> None:
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    outputs = [output["data"]["text/html"] for cell in cells for output in cell.get("outputs", ())]
    cards = "".join(f"<div class=cell-output-display>{''.join(lines)}</div>" for lines in outputs)
    page = tmp_path / "cards.html"
    style = f"<style>body{{background:{colours}}}{HOST_SHEETS[host]}</style>"
    page.write_text(f"<!doctype html><meta charset=utf-8>{style}{cards}", encoding="utf-8")
    assert shown(browser, page.as_uri()) == []
