"""Finds the files to analyse."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

# The extensions of videos in folders. A file that is named explicitly may have any extension.
ENDINGS = (".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".ts", ".mts", ".m2ts", ".mpg", ".mpeg", ".flv", ".wmv", ".3gp", ".ogv")


def expand(words: list[str], outside: str) -> Iterator[str]:
    """Yields the address of each file. Folders are read lazily.

    :param words: files, folders, patterns, addresses, and lists: "@FILE" or "@-" for standard input.
    :param outside: the folder of results, whose files are no sources.
    """
    fence = absolute(outside).rstrip("/") + "/"
    for word in words:
        for address in expand_one(word):
            if not address.startswith(fence):
                yield address


def expand_one(word: str) -> Iterator[str]:
    if word.startswith("@") and not os.path.exists(word):
        yield from expand_list(word[1:])
        return
    if re.match(r"https?://", word):
        yield word
        return
    files, path = fsspec.core.url_to_fs(word, use_listings_cache=False)
    is_local = isinstance(files, LocalFileSystem)
    if re.search(r"[*?\[]", path) and not (is_local and os.path.exists(path)):
        for found in sorted(files.glob(path)):
            if not os.path.basename(found).startswith("."):
                yield named(files, str(found))
    elif files.isdir(path):
        for folder, _, names in files.walk(path):
            for name in sorted(names):
                # Other programs use names with a leading dot for unfinished files.
                if name.lower().endswith(ENDINGS) and not name.startswith("."):
                    yield named(files, f"{folder}/{name}")
    else:
        yield named(files, path)


def expand_list(name: str) -> Iterator[str]:
    """Yields the addresses in a file, one per line. Skips empty lines and lines that begin with #."""
    with sys.stdin if name == "-" else fsspec.open(name, "rt") as lines:
        for line in lines:
            if (word := line.strip()) and not word.startswith("#"):
                yield from expand_one(word)


def named(files: Any, path: str) -> str:
    """Returns a path as other machines find it; local files have no protocol."""
    return path if isinstance(files, LocalFileSystem) else str(files.unstrip_protocol(path))


def absolute(address: str) -> str:
    files, path = fsspec.core.url_to_fs(address)
    return named(files, path)


def short_name(address: str) -> str:
    """Returns the name of a file's results: its base name and a hash of its address, because names may repeat."""
    stem = os.path.splitext(os.path.basename(address.split("?")[0].rstrip("/")))[0]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", stem).strip("._")[:80] or "video"
    return f"{plain}-{hashlib.sha256(address.encode('utf-8', 'surrogateescape')).hexdigest()[:10]}"
