"""Local copies of remote files, shared by the workers of a machine."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from fsspec.implementations.local import LocalFileSystem

from .errors import FleetError, RunError, Unreachable, Usage, is_disk_full
from .storage import base_name, file_system, reason, public_address

PAUSES = (1.0, 4.0)


@dataclass(frozen=True)
class Identity:
    """Identifies the content of a file by size and version, as far as its storage provides them."""

    size: int | None
    version: str
    # The time of the last change in seconds since 1970.
    changed: float | None = None

    @property
    def key(self) -> list[int | str | None]:
        """The part of the identity that results store."""
        return [self.size, self.version]

    @classmethod
    def of(cls, address: str) -> Identity:
        files, path = file_system(address)
        about = patiently(lambda: files.info(path), address)
        # Opening a named pipe would wait for a writer.
        if about.get("type") == "other":
            raise Unreachable(f"{public_address(address)} is not a regular file")
        moments = [about[key] for key in ("mtime", "LastModified", "last_modified", "updated", "created") if about.get(key)]
        versions = [about[key] for key in ("ETag", "etag") if about.get(key)] + moments
        return cls(about.get("size"), str(next(iter(versions), "")), next(map(seconds_since_1970, moments), None))


def cache_limit() -> int:
    """Returns the size limit of the copies in bytes. Beyond it, the least recently used ones are removed."""
    text = os.environ.get("SWIFTODT_FLEET_CACHE", str(50 * 2**30))
    if not re.fullmatch("[0-9]{1,18}", text):
        raise Usage(f"SWIFTODT_FLEET_CACHE={text}: must be a number of bytes")
    return int(text)


def seconds_since_1970(moment: Any) -> float | None:
    """Parses a time of a storage system."""
    if isinstance(moment, datetime):
        return moment.timestamp()
    with suppress(ValueError):
        return float(moment)
    with suppress(ValueError):
        return datetime.fromisoformat(moment).timestamp()
    return None


def private_folder() -> Path:
    folder = Path(tempfile.gettempdir()) / f"swiftodt-fleet-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    # Other users could have created a folder of this name in the temporary folder.
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise RunError(f"{folder} is accessible to other users; remove it, or set TMPDIR")
    return folder


@contextmanager
def temporary_folder() -> Iterator[str]:
    """Yields a temporary folder, and removes those of killed workers of this machine. A worker holds a lock in its folder.

    Other machines may share the temporary folder, but a file system may keep locks only within a machine.
    """
    parent, prefix = private_folder(), f"work-{socket.gethostname()}@"
    with open(parent / "work.lock", "w") as cleanup_lock:
        # Some file systems have no locks. There the folders of killed workers remain.
        with suppress(OSError):
            fcntl.flock(cleanup_lock, fcntl.LOCK_EX)
            for stale in parent.glob(f"{prefix}*"):
                with suppress(OSError), open(stale / ".lock", "w") as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(stale)
        folder = tempfile.mkdtemp(prefix=prefix, dir=parent)
        lock = open(os.path.join(folder, ".lock"), "w")
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
    with lock:
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def local_copy(address: str, identity: Identity) -> Iterator[str]:
    """Yields the path of a local copy of the file. The workers of a machine share one copy. Errors name the file instead of the copy."""
    files, path = file_system(address)
    if isinstance(files, LocalFileSystem):
        yield path
        return
    # The copy keeps the file's extension, which GStreamer does not need but people do.
    ending = os.path.splitext(path.split("?")[0])[1][:8]
    if ending in (".part", ".lock"):
        ending = ""
    copy = private_folder() / (hashlib.sha256(f"{address}\n{identity}".encode("utf-8", "surrogateescape")).hexdigest()[:24] + ending)
    while True:
        with open(lock_path(copy), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            if is_in_place(lock) and not copy.exists():
                fcntl.flock(lock, fcntl.LOCK_EX)
                if is_in_place(lock) and not copy.exists():
                    fetch(files, path, address, copy, identity)
                # Converting a lock is not atomic: another worker may remove the copy in between, so the checks below are needed.
                fcntl.flock(lock, fcntl.LOCK_SH)
            if is_in_place(lock) and copy.exists():
                os.utime(copy)
                try:
                    yield str(copy)
                except FleetError as error:
                    raise type(error)(str(error).replace(str(copy), base_name(address) or public_address(address))) from error
                return


def lock_path(copy: Path) -> Path:
    """Returns the path of the lock file of a copy or its part. Readers lock it shared; making or removing the copy needs an exclusive lock."""
    return copy.with_name(copy.name.removesuffix(".part") + ".lock")


def is_in_place(lock: IO[str]) -> bool:
    """Whether the opened lock file still exists under its name. Another worker may have removed it."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), os.stat(lock.name))
    except FileNotFoundError:
        return False


def fetch(files: Any, path: str, address: str, copy: Path, identity: Identity) -> None:
    """Makes the copy. The caller holds its lock exclusively."""
    passing = copy.with_name(copy.name + ".part")
    try:
        make_room(copy.parent, identity.size or 0)
        patiently(lambda: files.get_file(path, str(passing)), address)
        if identity.size is not None and passing.stat().st_size != identity.size:
            raise Unreachable(f"{public_address(address)} came with {passing.stat().st_size} of {identity.size} bytes")
        passing.rename(copy)
    except BaseException:
        lock_path(copy).unlink(missing_ok=True)
        raise
    finally:
        passing.unlink(missing_ok=True)


def make_room(folder: Path, size: int) -> None:
    """Removes unused copies, and parts of killed workers, with their locks, the least recently used first, until one more file of this size fits."""
    file_cache = []
    for file in folder.iterdir():
        # Another worker may remove the file at the same time.
        with suppress(FileNotFoundError):
            about = file.stat()
            if file.suffix != ".lock" and stat.S_ISREG(about.st_mode):
                file_cache.append((about.st_mtime, about.st_size, file))
    taken, maximum = sum(bytes_ for _, bytes_, _ in file_cache) + size, cache_limit()
    for _, bytes_, copy in sorted(file_cache):
        if taken <= maximum:
            return
        with open(lock_path(copy), "w") as lock, suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_in_place(lock):
                copy.unlink(missing_ok=True)
                lock_path(copy).unlink()
                taken -= bytes_


def patiently(ask: Any, address: str) -> Any:
    """Calls `ask` up to three times with pauses, because network errors may be temporary. A missing file is not retried."""
    for pause in (*PAUSES, None):
        try:
            return ask()
        except FileNotFoundError as error:
            raise Unreachable(f"there is no {public_address(address)}") from error
        except PermissionError as error:
            raise Unreachable(f"{public_address(address)} cannot be read: {reason(error)}") from error
        except Exception as error:
            if is_disk_full(error):
                raise RunError(f"{public_address(address)} cannot be copied: {reason(error)}; free space in {tempfile.gettempdir()}, or set TMPDIR") from error
            if pause is None:
                raise Unreachable(f"{public_address(address)} cannot be read: {reason(error)}") from error
            time.sleep(pause)
