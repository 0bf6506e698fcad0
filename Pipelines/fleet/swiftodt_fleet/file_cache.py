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
from typing import IO, Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from .errors import StorageFull, Unreachable
from .storage import reason

# How much of a machine's disk copies take; those not used for longest give way.
LIMIT = int(os.environ.get("SWIFTODT_FLEET_CACHE", str(50 * 2**30)))
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
        raise StorageFull(f"{folder} is not this user's alone: remove it, or set TMPDIR")
    # GStreamer looks at contents, people at endings.
    ending = os.path.splitext(path.split("?")[0])[1][:8]
    copy = folder / (hashlib.sha256(f"{address}\n{identity}".encode()).hexdigest()[:24] + ending)
    while True:
        with open(lock_path(copy), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            if is_in_place(lock) and not copy.exists():
                fcntl.flock(lock, fcntl.LOCK_EX)
                if is_in_place(lock) and not copy.exists():
                    fetch(files, path, address, copy, identity)
                # Converting a lock is not atomic: the copy may be removed in between, so that the checks below are needed.
                fcntl.flock(lock, fcntl.LOCK_SH)
            if is_in_place(lock) and copy.exists():
                os.utime(copy)
                yield str(copy)
                return


def lock_path(copy: Path) -> Path:
    """The file that is locked while the copy is read (shared) or made or removed (exclusively). It is removed together with the copy."""
    return copy.with_name(copy.name + ".lock")


def is_in_place(lock: IO[str]) -> bool:
    """Whether the lock file that was opened is still the one with this name. The holder of an earlier lock may have removed it."""
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
            raise Unreachable(f"{address} came with {passing.stat().st_size} of {identity.size} bytes")
        passing.rename(copy)
    except BaseException:
        lock_path(copy).unlink(missing_ok=True)
        raise
    finally:
        passing.unlink(missing_ok=True)


def make_room(folder: Path, size: int) -> None:
    """Removes unused copies with their locks, the least recently used first, until one more file of this size fits."""
    file_cache = []
    for file in folder.iterdir():
        # Another worker may remove it meanwhile.
        with suppress(FileNotFoundError):
            if file.suffix not in (".lock", ".part"):
                about = file.stat()
                file_cache.append((about.st_mtime, about.st_size, file))
    taken = sum(bytes_ for _, bytes_, _ in file_cache) + size
    for _, bytes_, copy in sorted(file_cache):
        if taken <= LIMIT:
            return
        with open(lock_path(copy), "w") as lock, suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_in_place(lock):
                copy.unlink(missing_ok=True)
                lock_path(copy).unlink()
                taken -= bytes_


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
