"""Configuration: what a project has set, and what makes no sense there."""

from __future__ import annotations

from pathlib import Path

import pytest

from checkpoint_ld.batch.configuration import Configuration, find, of_file
from checkpoint_ld.errors import SettingsError

EVERYTHING = """
profile = "strict"
shapes = ["own/shapes", "/abs/shapes.ttl"]
select = ["KQ", "KR"]
ignore = ["KR038"]
fail-on = "warning"
max-per-rule = 3
exclude = ["drafts/**"]
[per-file-ignores]
"old/*.json" = ["KQ003", "W-RANGE"]
"""


def test_every_setting_is_read(tmp_path: Path) -> None:
    file = tmp_path / ".checkpoint-ld.toml"
    file.write_text(EVERYTHING, encoding="utf-8")
    assert find(tmp_path) == Configuration(
        file=file,
        profile="strict",
        shapes=(str(tmp_path / "own/shapes"), "/abs/shapes.ttl"),
        select=("KQ", "KR"),
        ignore=("KR038",),
        fail_on="warning",
        max_per_rule=3,
        exclude=("drafts/**",),
        per_file_ignores={"old/*.json": ("KQ003", "W-RANGE")},
    )


def test_the_nearest_file_counts_and_one_without_our_table_is_passed_by(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.checkpoint-ld]\nprofile = "strict"\n')
    (inner / "pyproject.toml").write_text('[tool.other]\nprofile = "legacy-dataset"\n')
    assert find(inner).file == tmp_path / "pyproject.toml"
    assert find(inner).profile == "strict"
    (tmp_path / "a" / ".checkpoint-ld.toml").write_text("")
    assert find(inner) == Configuration(file=tmp_path / "a" / ".checkpoint-ld.toml")


def test_the_own_file_comes_before_the_one_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.checkpoint-ld]\nprofile = "strict"\n')
    (tmp_path / ".checkpoint-ld.toml").write_text('profile = "karenina"\n')
    assert find(tmp_path).profile == "karenina"
    assert of_file(tmp_path / "pyproject.toml").profile == "strict"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail_on = 'info'", 'there is no setting "fail_on"; did you mean fail-on?'),
        ("per-file-ignore = {}", 'there is no setting "per-file-ignore"; did you mean per-file-ignores?'),
        ("zzz = 1", "use one of profile, shapes, select, ignore, fail-on, max-per-rule, exclude, per-file-ignores"),
        ("file = 'x'", 'there is no setting "file"'),
        ("fail-on = 'warnings'", 'fail-on: there is no severity "warnings"; did you mean warning?'),
        ("fail-on = 1", "fail-on is 1; write a text"),
        ("max-per-rule = true", "max-per-rule is True; write a whole number"),
        ("max-per-rule = -1", "max-per-rule is -1; write a whole number"),
        ("select = 'KQ'", 'select is "KQ"; write an array of texts'),
        ("exclude = [1]", "exclude is [1]; write an array of texts"),
        ("per-file-ignores = ['KQ']", "per-file-ignores is ['KQ']; write a table"),
        ("[per-file-ignores]\n'*' = 'KQ'", 'per-file-ignores.* is "KQ"; write an array of texts'),
        ("profile = [", "this is no TOML"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_name_of_the_file(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / ".checkpoint-ld.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        find(tmp_path)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)


def test_a_file_that_is_asked_for_must_be_there_and_be_ours(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"x\.toml: cannot be read: No such file"):
        of_file(tmp_path / "x.toml")
    (tmp_path / "pyproject.toml").write_text("[tool]\n")
    with pytest.raises(SettingsError, match=r"no table \[tool\.checkpoint-ld\]"):
        of_file(tmp_path / "pyproject.toml")
    (tmp_path / "latin.toml").write_bytes(b"# \xe9")
    with pytest.raises(SettingsError, match="no TOML"):
        of_file(tmp_path / "latin.toml")
