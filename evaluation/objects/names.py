"""Named values of a node: small sealed files in its memory, replaced atomically.

They are what a register of complete tables is made of. Like objects they outlive a killed node.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

NAMES = "names"


class Names:
    """The named values in the memory `folder`: text by a space and a name in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / NAMES
        self._folder.mkdir(mode=0o700, exist_ok=True)
        for left in self._folder.glob("*.unfinished"):
            left.unlink()

    def bind(self, space: str, name: str, value: str) -> None:
        """Give a name its value: whoever looks sees the old one or this one."""
        path = self._path(space, name)
        fresh = path.with_suffix(".unfinished")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o400)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump([space, name, value], file)
        fresh.replace(path)

    def unbind(self, space: str, name: str) -> None:
        """Remove a name, if it is there."""
        self._path(space, name).unlink(missing_ok=True)

    def all_in(self, space: str) -> Mapping[str, str]:
        """Return name → value of a space."""
        found = {}
        for path in self._folder.glob("*.json"):
            where, name, value = json.loads(path.read_text(encoding="utf-8"))
            if where == space:
                found[name] = value
        return found

    def _path(self, space: str, name: str) -> Path:
        key = hashlib.sha256(json.dumps([space, name]).encode()).hexdigest()
        return self._folder / f"{key}.json"
