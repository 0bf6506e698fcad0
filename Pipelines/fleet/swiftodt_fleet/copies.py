"""Files from elsewhere, on this machine while they are needed."""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from .errors import PlaceFull, Unreachable
from .place import reason

# How much of a machine's disk copies take; those not used for longest give way.
LIMIT = int(os.environ.get("SWIFTODT_FLEET_COPIES", str(50 * 2**30)))
PAUSES = (1.0, 4.0)


@dataclass(frozen=True)
class Identity:
    """What tells one content of a file from another, as far as its keeper tells."""

    size: int | None
    version: str
    # When it was changed last, in seconds since 1970.
    changed: float | None = None

    @property
    def key(self) -> list[int | str | None]:
        """What results remember of it."""
        return [self.size, self.version]

    @classmethod
    def of(cls, address: str) -> Identity:
        files, path = fsspec.core.url_to_fs(address, use_listings_cache=False)
        about = patiently(lambda: files.info(path), address)
        moments = [about[key] for key in ("mtime", "LastModified", "last_modified", "updated", "created") if about.get(key)]
        versions = [about[key] for key in ("ETag", "etag") if about.get(key)] + moments
        return cls(about.get("size"), str(next(iter(versions), "")), next(map(seconds_since_1970, moments), None))


def seconds_since_1970(moment: Any) -> float | None:
    """As different keepers tell it."""
    if isinstance(moment, datetime):
        return moment.timestamp()
    with suppress(ValueError):
        return float(moment)
    with suppress(ValueError):
        return datetime.fromisoformat(moment).timestamp()
    return None


@contextmanager
def local_copy(address: str, identity: Identity) -> Iterator[str]:
    """The path of the file on this machine. Workers of a machine share one copy."""
    files, path = fsspec.core.url_to_fs(address, use_listings_cache=False)
    if isinstance(files, LocalFileSystem):
        yield path
        return
    folder = Path(tempfile.gettempdir()) / f"swiftodt-fleet-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    # Anybody can make a folder of this name where temporary files go, and look into it.
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        raise PlaceFull(f"{folder} is not this user's alone: remove it, or set TMPDIR")
    # GStreamer looks at contents, people at endings.
    ending = os.path.splitext(path.split("?")[0])[1][:8]
    copy = folder / (hashlib.sha256(f"{address}\n{identity}".encode()).hexdigest()[:24] + ending)
    with open(f"{copy}.lock", "w") as lock:
        while True:
            fcntl.flock(lock, fcntl.LOCK_SH)
            if copy.exists():
                break
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not copy.exists():
                fetch(files, path, address, copy, identity)
        os.utime(copy)
        yield str(copy)


def fetch(files: Any, path: str, address: str, copy: Path, identity: Identity) -> None:
    make_room(copy.parent, identity.size or 0)
    passing = copy.with_name(copy.name + ".part")
    try:
        patiently(lambda: files.get_file(path, str(passing)), address)
        if identity.size is not None and passing.stat().st_size != identity.size:
            raise Unreachable(f"{address} came with {passing.stat().st_size} of {identity.size} bytes")
        passing.rename(copy)
    finally:
        passing.unlink(missing_ok=True)


def make_room(folder: Path, size: int) -> None:
    """Removes copies that nobody uses, the oldest first, until one more fits."""
    copies = sorted((file for file in folder.iterdir() if file.suffix not in (".lock", ".part")), key=lambda file: file.stat().st_mtime)
    taken = sum(file.stat().st_size for file in copies) + size
    for copy in copies:
        if taken <= LIMIT:
            return
        with open(f"{copy}.lock", "w") as lock, suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            taken -= copy.stat().st_size
            copy.unlink()


def patiently(ask: Any, address: str) -> Any:
    """Asks again after a pause, as networks have moments; what is not there is not there."""
    for pause in (*PAUSES, None):
        try:
            return ask()
        except FileNotFoundError as error:
            raise Unreachable(f"there is no {address}") from error
        except PermissionError as error:
            raise Unreachable(f"{address} may not be read: {reason(error)}") from error
        except Exception as error:
            if pause is None:
                raise Unreachable(f"{address} cannot be read: {reason(error)}") from error
            time.sleep(pause)
