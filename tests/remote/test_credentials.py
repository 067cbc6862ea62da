"""Where credentials come from, and that they show up nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.remote import credentials

PAIR = {"CHECKPOINT_LD_USER": "reader", "CHECKPOINT_LD_PASSWORD": "pass word"}
TOKEN = {"CHECKPOINT_LD_TOKEN": "abc.def"}


@pytest.fixture
def netrc(tmp_path: Path) -> dict[str, str]:
    file = tmp_path / "netrc"
    file.write_text("machine store.example login dba password from-netrc\nmachine other.example login x password y\n")
    file.chmod(0o600)
    return {"NETRC": str(file)}


def test_nothing_is_no_credentials(tmp_path: Path) -> None:
    found = credentials("store.example", environment={"NETRC": str(tmp_path / "none")})

    assert (found.method, found.masked) == ("none", "")


def test_a_password_is_basic_unless_the_store_prefers_digest() -> None:
    assert credentials("h", environment=PAIR).method == "basic"
    assert credentials("h", preferred="digest", environment=PAIR).method == "digest"
    assert credentials("h", "basic", preferred="digest", environment=PAIR).method == "basic"


def test_a_token_is_a_bearers() -> None:
    found = credentials("h", environment={**PAIR, **TOKEN})

    assert (found.method, found.secret) == ("bearer", "abc.def")


def test_none_is_none_whatever_there_is() -> None:
    assert credentials("h", "none", environment={**PAIR, **TOKEN}).secret == ""


def test_netrc_counts_for_its_own_host_alone(netrc: dict[str, str]) -> None:
    found = credentials("store.example", environment=netrc)

    assert (found.method, found.user, found.secret) == ("basic", "dba", "from-netrc")
    assert credentials("elsewhere.example", environment=netrc).method == "none"


@pytest.mark.parametrize(("text", "method"), [("reader:pass:word\n", "basic"), ("  abc.def\n", "bearer")])
def test_a_file_comes_before_all_else(tmp_path: Path, text: str, method: str) -> None:
    file = tmp_path / "secret"
    file.write_text(text)

    found = credentials("h", file=str(file), environment=PAIR)

    assert found.method == method
    assert found.secret == ("pass:word" if method == "basic" else "abc.def")


@pytest.mark.parametrize(
    ("method", "environment", "message"),
    [
        ("oauth", {}, "there is no authentication 'oauth'"),
        ("digest", {"NETRC": "/nowhere"}, "needs credentials: set CHECKPOINT_LD_TOKEN"),
        ("bearer", PAIR, "authentication bearer needs a token"),
        ("basic", TOKEN, "authentication basic needs a name and a password"),
        ("auto", {"CHECKPOINT_LD_TOKEN": "secret\r\nHost: x"}, "hold line breaks"),
    ],
)
def test_what_does_not_fit_is_refused_without_showing_it(
    method: str, environment: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        credentials("h", method, environment=environment)

    assert not any(value in str(caught.value) for value in environment.values() if value != "/nowhere")


def test_files_that_are_not_there_or_no_netrc_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="credentials cannot be read: No such file"):
        credentials("h", file=str(tmp_path / "none"))
    (tmp_path / "netrc").write_text("machine h nonsense secret-word\n")
    with pytest.raises(SettingsError, match="this is no netrc file") as caught:
        credentials("h", environment={"NETRC": str(tmp_path / "netrc")})
    assert "secret-word" not in str(caught.value)


def test_nothing_shows_a_secret() -> None:
    found = credentials("h", environment=PAIR)
    shown = found.hide("pass word, pass%20word, reader:pass word, cmVhZGVyOnBhc3Mgd29yZA==")

    assert shown == "***, ***, ***, ***"
    assert "pass word" not in repr(found) + found.masked + found.for_shell
    assert found.masked == "Basic ***"
