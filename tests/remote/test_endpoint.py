"""Where services are, and what is refused before anything is opened."""

from __future__ import annotations

import pytest

from checkpoint_ld.errors import SettingsError
from checkpoint_ld.stores.endpoint import recognized
from checkpoint_ld.stores.remote import endpoint, profiles

URL = "http://127.0.0.1:7878"


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
def test_a_profile_shows_where_services_are(profile: str, services: tuple[str, str, str]) -> None:
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
        ("ftp://127.0.0.1/", "is no URL of a server"),
        ("127.0.0.1:7878", "is no URL of a server"),
        ("http://", "is no URL of a server"),
        ("http://127.0.0.1:port", "is no URL of a server"),
        ("http://127.0.0.1/a b", "is no URL of a server"),
        ("http://127.0.0.1/a\r\nHost: x", "is no URL of a server"),
        ("http://127.0.0.1/?graph=x", "is followed by a query or a fragment"),
    ],
)
def test_what_is_no_url_of_a_store_is_refused(url: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        endpoint(url, "oxigraph")

    assert "secret" not in str(caught.value)


def test_services_of_several_servers_are_refused() -> None:
    with pytest.raises(SettingsError, match="at several servers"):
        endpoint(URL, "generic", query=f"{URL}/q", update="http://127.0.0.1:7879/u")


def test_a_profile_that_is_not_there_is_refused() -> None:
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
def test_a_store_is_recognized_by_what_it_states(server: str, body: str, name: str | None) -> None:
    found = recognized(server, body)

    assert (found and found.name) == name


def test_it_is_reported_which_profiles_were_seen_running() -> None:
    assert [name for name, one in profiles().items() if one.checked] == ["oxigraph", "virtuoso", "checkpoint-ld"]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:7878/sparql?token=geheim", "localhost:7878#geheim", "ftp://x/?a=geheim"]
)
def test_no_message_repeats_what_may_be_a_token(url: str) -> None:
    with pytest.raises(SettingsError) as refused:
        endpoint(url, "generic")
    assert "geheim" not in str(refused.value)
    assert url[:8] in str(refused.value)
