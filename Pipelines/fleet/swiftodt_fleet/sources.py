"""Finds the files to analyse."""

from __future__ import annotations

import collections
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem
from fsspec.utils import glob_translate

from .errors import Usage
from .storage import EMPTY_ADDRESS, file_system, reason, public_address, without_user

# Names of files that odt has not finished. Numbers follow only after times, because other programs split videos into NAME.part1, NAME.part2 ...
UNFINISHED = re.compile(r"(\.part|T\d\d-\d\d-\d\dZ(_\d+)?\.part\d+)\.[^.]+$")
# The extensions of videos in folders. A file that is named explicitly may have any extension.
ENDINGS = (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".mts", ".m2ts", ".mpg", ".mpeg", ".flv", ".wmv", ".3gp", ".ogv")


def expand(words: list[str], outside: str, complain: Callable[[str], None]) -> Iterator[str]:
    """Yields the address of each file. Folders are read lazily.

    :param words: files, folders, patterns, addresses, and lists: "@FILE" or "@-" for standard input.
    :param outside: the folder of results, whose files are no sources.
    :param complain: is called with the reason if a source or folder cannot be read.
    """
    fence = resolved(absolute(outside)).rstrip("/") + "/"
    for word in words:
        for address in expand_one(word, complain):
            if not resolved(address).startswith(fence):
                yield address


def resolved(address: str) -> str:
    """Resolves the links in a local path."""
    return os.path.realpath(address) if address.startswith("/") else address


def check_sources(words: list[str]) -> None:
    """Raises Usage for empty sources and for lists that cannot be read, before Ray starts. A pipe is not opened."""
    if "" in words:
        raise Usage(EMPTY_ADDRESS)
    for name in filter(None, map(list_name, words)):
        if not is_pipe(name):
            next(read_lines(name), None)


def is_read_once(words: list[str]) -> bool:
    return any(map(is_pipe, filter(None, map(list_name, words))))


def is_pipe(name: str) -> bool:
    """Whether a list is standard input or another pipe, which can be read only once."""
    return name == "-" or (os.path.exists(name) and not os.path.isfile(name))


def list_name(word: str) -> str | None:
    return os.path.expanduser(word[1:]) if word.startswith("@") and not os.path.exists(word) else None


def expand_one(word: str, complain: Callable[[str], None]) -> Iterator[str]:
    if (name := list_name(word)) is not None:
        yield from expand_list(name, complain)
    elif re.match(r"https?://", word):
        yield word
    else:
        try:
            yield from expand_place(word, complain)
        except Usage:
            raise
        except Exception as error:
            complain(f"{without_user(word)} cannot be read: {reason(error)}")


def expand_place(word: str, complain: Callable[[str], None]) -> Iterator[str]:
    files, path = file_system(word)
    is_local = isinstance(files, LocalFileSystem)
    if re.search(r"[*?\[]", path) and not (is_local and os.path.exists(path)):
        matches = local_matches(path, complain) if is_local else files.glob(path)
        found = sorted(str(path) for path in matches if not is_unfinished(os.path.basename(path)))
        if not found:
            complain(f"no file matches {without_user(word)}")
        yield from (named(files, path) for path in found)
    elif files.isdir(path):
        yield from (named(files, video) for video in videos(files, path, complain))
    else:
        yield named(files, path)


def videos(files: Any, folder: str, complain: Callable[[str], None]) -> Iterator[str]:
    """Yields the paths of the videos in a folder and in the folders below it. AbstractFileSystem.walk does not report errors below `folder`."""
    if isinstance(files, LocalFileSystem):
        for folder, below, names in walk(folder, complain):
            yield from (os.path.join(folder, name) for name in names if is_video(name))
        return
    try:
        entries = sorted((entry["name"].rstrip("/"), entry["type"]) for entry in files.ls(folder, detail=True))
    except Exception as error:
        complain(f"{named(files, folder)} cannot be read: {reason(error)}")
        return
    for path, kind in entries:
        if kind != "directory" and is_video(os.path.basename(path)):
            yield path
    for path, kind in entries:
        # Object stores may list the folder itself.
        if kind == "directory" and path != folder.rstrip("/"):
            yield from videos(files, path, complain)


def walk(top: str, complain: Callable[[str], None], visits: int = 1) -> Iterator[tuple[str, list[str], list[str]]]:
    """Is os.walk that reports errors, sorts, and follows links to folders.

    Links are followed last, so that files in the other folders keep their paths. A link to a folder that contains it, also through other links, is
    not followed.

    :param visits: through how many links the same folder is entered at most.
    """
    def report(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            complain(f"{error.filename} cannot be read: {reason(error)}")

    # Each start has the real paths of the folders that contain it.
    starts: list[tuple[str, tuple[str, ...]]] = [(top, ())]
    entered: collections.Counter[str] = collections.Counter()
    for start, above in starts:
        for folder, below, names in os.walk(start, onerror=report):
            if entered[path := os.path.realpath(folder)] == visits:
                below.clear()
                continue
            entered[path] += 1
            below.sort()
            yield folder, below, sorted(names)
            containing = (*above, path)
            for link in filter(os.path.islink, (os.path.join(folder, name) for name in below)):
                target = os.path.realpath(link).rstrip("/") + "/"
                if not any(f"{one}/".startswith(target) for one in containing):
                    starts.append((link, containing))


def is_video(name: str) -> bool:
    return name.lower().endswith(ENDINGS) and not is_unfinished(name)


def is_unfinished(name: str) -> bool:
    """Whether a program is still writing a file. Other programs use names with a leading dot for unfinished files."""
    return name.startswith(".") or UNFINISHED.search(name) is not None


def local_matches(pattern: str, complain: Callable[[str], None]) -> Iterator[str]:
    """Yields the local paths that match a pattern. LocalFileSystem.glob does not report folders that cannot be read."""
    parts = pattern.split("/")
    first = next(index for index, part in enumerate(parts) if re.search(r"[*?\[]", part))
    # A trailing ** also matches in the folders that it matches.
    ends = range(first + 1, len(parts) + (parts[-1] == "**"))
    folders = [re.compile(glob_translate("/".join(parts[:end]))) for end in ends]
    wanted = re.compile(glob_translate(pattern))

    found = set()
    for folder, below, names in walk("/".join(parts[:first]) or "/", complain, visits=10):
        real = os.path.realpath(folder)
        for name in names:
            if wanted.match(path := os.path.join(folder, name)) and (real, name) not in found:
                found.add((real, name))
                yield path
        below[:] = [name for name in below if any(part.match(os.path.join(folder, name)) for part in folders)]


def expand_list(name: str, complain: Callable[[str], None]) -> Iterator[str]:
    """Yields the addresses in a file, one per line. Skips empty lines and lines that begin with #."""
    for line in read_lines(name):
        if (word := line.strip()) and not word.startswith("#"):
            yield from expand_one(word, complain)


def read_lines(name: str) -> Iterator[str]:
    try:
        with open_list(name) as lines:
            yield from lines
    except Exception as error:
        raise Usage(f"the list @{public_address(name)} cannot be read: {reason(error)}") from None


def open_list(name: str) -> Any:
    """Opens a list. Its names may be in any encoding, as in the file system. fsspec opens no pipes."""
    if "://" in name:
        return fsspec.open(name, "rt", encoding="utf-8", errors="surrogateescape")
    return open(0 if name == "-" else name, encoding="utf-8", errors="surrogateescape", closefd=name != "-")


def named(files: Any, path: str) -> str:
    """Returns a path as other machines find it; local files have no protocol."""
    return path if isinstance(files, LocalFileSystem) else str(files.unstrip_protocol(path))


def absolute(address: str) -> str:
    return named(*file_system(address))


def short_name(address: str) -> str:
    """Returns the name of a file's results: its base name and a hash of its address, because names may repeat."""
    stem = os.path.splitext(os.path.basename(public_address(address).split("?")[0].rstrip("/")))[0]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", stem).strip("._")[:80] or "video"
    return f"{plain}-{hashlib.sha256(address.encode('utf-8', 'surrogateescape')).hexdigest()[:10]}"
