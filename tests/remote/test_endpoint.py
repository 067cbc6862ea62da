"""Where services are, where credentials come from, and what is refused before anything is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.endpoint import recognized
from checkpoint_ld.stores.remote import credentials, endpoint, profiles

URL = "http://127.0.0.1:7878"
PAIR = {"CHECKPOINT_LD_USER": "reader", "CHECKPOINT_LD_PASSWORD": "pass word"}
TOKEN = {"CHECKPOINT_LD_TOKEN": "abc.def"}


@pytest.mark.parametrize(
    ("profile", "services"),
    [
        ("oxigraph", ("/query", "/update", "/store")),
        ("virtuoso", ("/sparql", "/sparql-auth", "/sparql-graph-crud-auth")),
        ("fuseki", ("/query", "/update", "/data")),
        ("rdf4j", ("", "/statements", "/rdf-graphs/service")),
        ("graphdb", ("", "/statements", "/rdf-graphs/service")),
    ],
)
def test_a_profile_tells_where_services_are(profile: str, services: tuple[str, str, str]) -> None:
    found = endpoint(f"{URL}/base/", profile)
    assert (found.query, found.update, found.store) == tuple(f"{URL}/base{one}" for one in services)
    assert endpoint(found.query, profile) == found


def test_of_a_generic_store_every_url_is_given() -> None:
    found = endpoint(URL, "generic", query=f"{URL}/q", update=f"{URL}/u")
    assert (found.query, found.update, found.store) == (f"{URL}/q", f"{URL}/u", None)
    assert endpoint(f"{URL}/sparql", "generic").query == f"{URL}/sparql"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://reader:secret@127.0.0.1/", "a URL with a name or password"),
        ("http://secret@127.0.0.1/", "a URL with a name or password"),
        *((f"http://127.0.0.1{end}", "is no URL of a server") for end in (":port", "/a b", "/a\r\nHost: x")),
        *((url, "is no URL of a server") for url in ("127.0.0.1:7878", "http://", "ftp://x/?a=secret")),
        ("http://127.0.0.1:7878/sparql?token=secret", "is followed by a query or a fragment"),
        ("localhost:7878#secret", "is no URL of a server"),
    ],
)
def test_what_is_no_url_of_a_store_is_refused_and_no_secret_repeated(url: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        endpoint(url, "oxigraph")
    assert "secret" not in str(caught.value)
    assert (url[:7] in str(caught.value)) is ("password" not in message)


def test_services_of_several_servers_and_profiles_that_are_not_there_are_refused() -> None:
    with pytest.raises(SettingsError, match="at several servers"):
        endpoint(URL, "generic", query=f"{URL}/q", update="http://127.0.0.1:7879/u")
    with pytest.raises(SettingsError, match="there is no profile 'oxygraph': use one of oxigraph, virtuoso"):
        endpoint(URL, "oxygraph")


@pytest.mark.parametrize(
    ("server", "body", "name"),
    [
        ("Oxigraph/0.5.13", "", "oxigraph"),
        ("Virtuoso/07.20.3229 (Linux) x86_64-pc-linux-gnu", "", "virtuoso"),
        ("Apache Jena Fuseki (4.5.0)", "", "fuseki"),
        ("nginx", "<title>GraphDB Workbench</title>", "graphdb"),
        ("checkpoint-ld", "", "checkpoint-ld"),
        ("nginx", "nothing", None),
    ],
)
def test_a_store_is_recognized_by_what_it_says(server: str, body: str, name: str | None) -> None:
    found = recognized(server, body)
    assert (found and found.name) == name


def test_it_is_said_which_profiles_were_seen_running() -> None:
    assert [name for name, one in profiles().items() if one.checked] == ["oxigraph", "virtuoso", "checkpoint-ld"]


def test_credentials_come_from_the_environment() -> None:
    assert credentials("h", environment=PAIR).method == "basic"
    assert credentials("h", preferred="digest", environment=PAIR).method == "digest"
    assert credentials("h", "basic", preferred="digest", environment=PAIR).method == "basic"
    token = credentials("h", environment={**PAIR, **TOKEN})
    assert (token.method, token.secret) == ("bearer", "abc.def")
    assert credentials("h", "none", environment={**PAIR, **TOKEN}).secret == ""


def test_netrc_counts_for_its_own_host_alone(tmp_path: Path) -> None:
    file = tmp_path / "netrc"
    file.write_text("machine store.example login dba password from-netrc\nmachine other.example login x password y\n")
    file.chmod(0o600)
    found = credentials("store.example", environment={"NETRC": str(file)})
    assert (found.method, found.user, found.secret) == ("basic", "dba", "from-netrc")
    for host, place in (("elsewhere.example", file), ("store.example", tmp_path / "none")):
        found = credentials(host, environment={"NETRC": str(place)})
        assert (found.method, found.masked) == ("none", "")


@pytest.mark.parametrize(
    ("text", "method", "secret"),
    [("reader:pass:word\n", "basic", "pass:word"), ("  abc.def\n", "bearer", "abc.def")],
)
def test_a_file_comes_before_all_else(tmp_path: Path, text: str, method: str, secret: str) -> None:
    file = tmp_path / "secret"
    file.write_text(text)
    found = credentials("h", file=str(file), environment=PAIR)
    assert (found.method, found.secret) == (method, secret)


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
def test_credentials_that_do_not_fit_are_refused_unseen(method: str, environment: dict[str, str], message: str) -> None:
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
