"""Stores results atomically: a file that exists under its name is complete."""

from __future__ import annotations

import json
import os
import posixpath
import re
import uuid
from collections.abc import Callable
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from .errors import RunError, Usage

# Object stores in which a file appears only when it is complete. Elsewhere it is written under a temporary name and renamed.
WHOLE = {"s3", "s3a", "gs", "gcs", "az", "abfs", "adl", "oss", "memory"}

EMPTY_ADDRESS = "a source or --out is empty; check the variables in the command line"


class Storage:
    """A folder, or a prefix in an object store."""

    def __init__(self, address: str) -> None:
        self.address = address
        try:
            self.files, self.root = file_system(address)
        except (ValueError, ImportError) as error:
            raise Usage(f"{public_address(address)} is neither a folder nor an address of a storage system: {reason(error)}") from error
        protocols = {self.files.protocol} if isinstance(self.files.protocol, str) else set(self.files.protocol)
        self.is_local = isinstance(self.files, LocalFileSystem)
        self.is_whole_at_once = bool(protocols & WHOLE)

    def path(self, name: str) -> str:
        return posixpath.join(self.root, name)

    def put(self, local: str, name: str) -> None:
        """Stores a local file under a name."""
        self.appear(name, lambda passing: self.files.put_file(local, passing))

    def appear(self, name: str, write: Callable[[str], object]) -> None:
        """Calls `write` with a temporary name and renames the file when it is complete."""
        target = self.path(name)
        folder, last = posixpath.split(target)
        passing = target if self.is_whole_at_once else posixpath.join(folder, f".{last}.{uuid.uuid4().hex[:8]}.part")

        def attempt() -> None:
            if not self.is_whole_at_once:
                self.files.makedirs(folder, exist_ok=True)
            write(passing)
            if passing != target:
                self.take_over(passing, target)

        try:
            try:
                attempt()
            except FileNotFoundError:
                # Another run may have removed the folder.
                attempt()
        except Exception as error:
            self.forget(passing, target)
            raise RunError(f"{target} cannot be written: {reason(error)}") from error

    def take_over(self, passing: str, target: str) -> None:
        if self.is_local:
            with open(passing, "rb") as written:
                os.fsync(written.fileno())
            os.replace(passing, target)
        else:
            self.files.mv(passing, target)

    def forget(self, passing: str, target: str) -> None:
        if passing != target:
            try:
                self.files.rm_file(passing)
            except Exception:
                pass

    def write_json(self, name: str, value: Any) -> None:
        """Stores a small file. It is ASCII, in which JSON can represent paths that are not UTF-8."""
        content = json.dumps(value).encode() + b"\n"
        self.appear(name, lambda passing: self.files.pipe_file(passing, content))

    def read_json(self, name: str) -> Any:
        """Returns the stored value, or None if there is none or the file is damaged, for example after a power failure."""
        try:
            return json.loads(self.files.cat_file(self.path(name)))
        except (FileNotFoundError, ValueError):
            return None

    def get(self, name: str, local: str) -> None:
        self.files.get_file(self.path(name), local)

    def names(self, folder: str) -> list[str]:
        """Returns the names in a folder, without temporary files."""
        try:
            found = self.files.ls(self.path(folder), detail=False)
        except FileNotFoundError:
            return []
        names = (posixpath.basename(str(path).rstrip("/")) for path in found)
        return sorted(name for name in names if name and not name.startswith("."))

    def remove(self, name: str) -> None:
        """Removes a file or folder. A missing one is no error."""
        try:
            self.files.rm(self.path(name), recursive=True)
        except FileNotFoundError:
            pass


def file_system(address: str) -> tuple[Any, str]:
    """Returns the storage system of an address or local path, and the path in it. All spellings of a local path give one path; links keep their names.

    fsspec would parse local names with "::" as chains of storage systems. An empty path would be the current folder.
    """
    if not address:
        raise Usage(EMPTY_ADDRESS)
    if "://" in address or address.startswith("file:/"):
        # Without a cached listing, because other workers write at the same time.
        files, path = fsspec.core.url_to_fs(address, use_listings_cache=False)
    else:
        files, path = LocalFileSystem(), os.path.expanduser(address)
    if isinstance(files, LocalFileSystem):
        resolved, path = os.path.realpath(path), os.path.abspath(path).replace("//", "/")
        # After a link, ".." is the folder above the link's target.
        path = path if os.path.realpath(path) == resolved else resolved
    return files, path


def base_name(address: str) -> str:
    """Returns the name of a file, without the query of an address. Local names can contain question marks."""
    return posixpath.basename(public_address(address))


def public_address(address: str) -> str:
    """Returns an address for texts and pages, without user, password and query, which can contain a token."""
    return without_user(address).split("?")[0] if "://" in address else address


def without_user(address: str) -> str:
    """Removes user and password from an address or pattern. Question marks stay, because they are wildcards in patterns."""
    # A password may contain any character. A colon that is not followed by a port begins a password.
    return re.sub(r"://(?:[^/?#\s]*@|[^/?#\s@]*:(?!\d+(?:[/?#\s'\"]|$))[^\s'\"]*@)", "://", address)


def without_secrets(text: str) -> str:
    """Removes users, passwords and queries from all addresses in a text, such as an error of a library."""
    return re.sub(r"(://[^\s?'\"]*)\?[^\s'\"]*", r"\1", without_user(text))


def reason(error: BaseException) -> str:
    return without_secrets((error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__)
