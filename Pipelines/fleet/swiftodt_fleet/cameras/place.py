"""Where tables go: a folder, or an address that fsspec knows."""

import os
from pathlib import Path
from urllib.parse import quote

import fsspec

from .progress import write_whole


class Place:
    """Files appear in it whole or not at all."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._files, self._root = fsspec.core.url_to_fs(name)
        self.is_folder = "://" not in name or name.startswith("file://")

    @property
    def folder(self) -> Path:
        """Where it is on this machine."""
        assert self.is_folder
        return Path(self._root)

    def write(self, parts: list[str], content: bytes) -> None:
        """Puts a file there, instead of an earlier one of that name."""
        if self.is_folder:
            path = self.folder.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content)
        else:
            self._files.pipe_file("/".join([self._root, *parts]), content)


def partition(key: str, value: str) -> str:
    """A folder's name as Hive, Arrow and DuckDB read it."""
    return f"{key}={quote(value, safe='')}"


def absolute(name: str) -> str:
    """A folder's whole name; an address stays as it is."""
    return name if "://" in name else os.path.abspath(name)
