"""Write shapes/parsed/: what our files of shapes say, so that they are not parsed at each start.

python docs/parsed_shapes.py
"""

from __future__ import annotations

from pathlib import Path

import orjson

from checkpoint_ld import rules

FOLDER = Path(__file__).parents[1] / rules.FOLDER


def contents() -> dict[Path, bytes]:
    """Return the texts of all files in it."""
    return {
        rules.parsed_file(FOLDER, file): orjson.dumps(
            {"checksum": rules.checksum(file), "statements": rules.parsed(file)}, option=orjson.OPT_APPEND_NEWLINE
        )
        for file in sorted(FOLDER.rglob("*.ttl"))
    }


if __name__ == "__main__":
    for path, content in contents().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
