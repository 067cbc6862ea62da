"""What must not be kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from checkpoint_ld import RuntimeState
from checkpoint_ld.checkpointing import REDACTED, CheckpointManager, Redaction
from checkpoint_ld.errors import InvalidCheckpoint, SettingsError, WrongTypeError


def secretive() -> RuntimeState:
    state = RuntimeState("agent")
    state.context.variables.update({"password": "hunter2", "a/b": {"token": ["t1", "t2"]}, "*": 1})
    for number in range(2):
        call = state.tool_state.start("http", {"headers": {"authorization": f"key {number}"}, "n": number})
        state.tool_state.complete(call.id, {"body": "ok"})
    return state


def test_pointers_take_out_what_they_lead_to(tmp_path: Path) -> None:
    redact = [
        "/snapshot/context/variables/password",
        "/snapshot/context/variables/a~1b/token/1",
        "/snapshot/tool_state/calls/*/args/headers/*",
        "/snapshot/tool_state/results/*",
        "/snapshot/nothing/here",
        "/snapshot/context/history/0",
        "/id/0",
    ]
    manager = CheckpointManager(tmp_path, redact=redact)
    state = secretive()
    saved = manager.save(state)
    text = saved.path.read_text()  # type: ignore[union-attr]
    assert not [secret for secret in ("hunter2", "t2", "key 0", "key 1", "body") if secret in text]
    tree = manager.get(saved.id).tree()["snapshot"]
    assert tree["context"]["variables"] == {"password": REDACTED, "a/b": {"token": ["t1", REDACTED]}, "*": 1}
    assert [one["args"] for one in tree["tool_state"]["calls"]] == [
        {"headers": {"authorization": REDACTED}, "n": number} for number in range(2)
    ]
    assert set(tree["tool_state"]["results"].values()) == {REDACTED}
    assert saved.checkpoint.sha256 == manager.get(saved.id).sha256
    assert state.context.variables["password"] == "hunter2"


def test_a_function_takes_out_what_it_likes(tmp_path: Path) -> None:
    def redact(tree: dict[str, Any]) -> dict[str, Any]:
        tree["snapshot"]["context"]["variables"].clear()
        return json.loads(json.dumps(tree).replace("key ", "?"))  # type: ignore[no-any-return]

    saved = CheckpointManager(tmp_path, redact=redact).save(secretive())
    text = saved.path.read_text()  # type: ignore[union-attr]
    assert "hunter2" not in text
    assert '"authorization": "?1"' in text


def test_every_way_into_the_store_is_redacted(tmp_path: Path) -> None:
    plain = CheckpointManager(tmp_path / "open").save(secretive())
    manager = CheckpointManager(tmp_path / "closed", redact=["/snapshot/context/variables/password"])
    manager.import_(tmp_path / "open")
    assert not manager.import_(plain.checkpoint)[0].created
    restored, forked = manager.restore(plain.checkpoint).state.snapshot(), manager.fork(plain.id).checkpoint.snapshot
    for snapshot in (manager.get(plain.id).snapshot, restored, forked):
        assert snapshot.context.variables["password"] == REDACTED
    kept = RuntimeState("agent")
    kept.context.variables["x"] = {"deep": 1}  # where nothing fits, nothing is copied
    assert manager.save(kept).checkpoint.snapshot.context.variables["x"] is kept.context.variables["x"]


@pytest.mark.parametrize(
    ("redact", "error", "message"),
    [
        (["/id"], SettingsError, "changed id"),
        (["/execution_id"], SettingsError, "changed execution_id"),
        (lambda _: None, SettingsError, "returned NoneType"),
        (lambda tree: {**tree, "agent_id": "x"}, SettingsError, "changed agent_id"),
        (["/snapshot/progress"], InvalidCheckpoint, "progress"),
        (["password"], SettingsError, "no JSON Pointer"),
        ([""], SettingsError, "no JSON Pointer"),
        ("/snapshot", WrongTypeError, "redact"),
        ([5], WrongTypeError, "redact"),
    ],
)
def test_a_redaction_that_takes_the_identity_breaks_rules_or_makes_no_sense_is_refused(
    tmp_path: Path, redact: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        CheckpointManager(tmp_path / "c", redact=redact).save(secretive())
    assert not (tmp_path / "c").exists()


def _without_secrets(tree: dict[str, Any]) -> dict[str, Any]:
    if "description" in tree:
        tree["description"] = REDACTED
    if "token" in tree["metadata"]:
        tree["metadata"]["token"] = REDACTED
    return tree


@pytest.mark.parametrize("redact", [["/description", "/metadata/token"], _without_secrets])
def test_what_is_changed_later_is_redacted_as_well(tmp_path: Path, redact: Redaction) -> None:
    manager = CheckpointManager(tmp_path / "c", f"sqlite:///{tmp_path}/c.db", redact=redact)
    saved = manager.save(secretive())
    changed = manager.update_metadata(
        saved.id, name="open", description="secret", metadata={"token": "secret", "agent_name": "A", "gone": None}
    )
    assert (changed.name, changed.description, changed.metadata.agent_name) == ("open", REDACTED, "A")
    assert changed.metadata.tree()["token"] == REDACTED
    assert manager.verify() == ()
    assert manager.update_metadata(saved.id, description=None).description is None
    assert b"secret" not in (tmp_path / "c" / f"{saved.id}.json").read_bytes()
