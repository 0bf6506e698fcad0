"""Puts those files of a wheel whose names match a pattern into a folder, without the wheel's own folders.

    unpack_wheel.py WHEEL FOLDER PATTERN ...
    unpack_wheel.py --from-index PACKAGE RECORD WHEEL FOLDER PATTERN ...

In the second form WHEEL is but a name: the index that pip uses is asked for just these files. RECORD is the SHA-256 of the wheel's own
list of the hashes of its files, by which each of them is judged. Ends with 3 where they cannot be had so: then fetch the wheel.
"""
import base64
import csv
import fnmatch
import hashlib
import os
import sys
import zipfile

sys.dont_write_bytecode = True
import wheel_part  # noqa: E402

MISSED = 3
PIECE = 1 << 20


def put(archive, entry, folder):
    """The file in its place, and its SHA-256 as wheels write it."""
    target, content = os.path.join(folder, os.path.basename(entry.filename)), hashlib.sha256()
    with archive.open(entry) as source, open(target, "wb") as sink:
        while piece := source.read(PIECE):
            sink.write(piece)
            content.update(piece)
    if ".so" in target:
        os.chmod(target, 0o755)
    return "sha256=" + base64.urlsafe_b64encode(content.digest()).rstrip(b"=").decode()


def meant(archive, patterns):
    """In the order in which they lie in the archive, so that no piece of it is sent twice."""
    entries = [entry for entry in archive.infolist()
               if not entry.is_dir() and any(fnmatch.fnmatch(entry.filename, pattern) for pattern in patterns)]
    return sorted(entries, key=lambda entry: entry.header_offset)


def hashes(archive, record):
    """The hash of each file, as the archive's own list has it."""
    name = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
    text = archive.read(name)
    if hashlib.sha256(text).hexdigest() != record:
        raise ValueError(f"{name} is not what it should be")
    return {row[0]: row[1] for row in csv.reader(text.decode().splitlines()) if len(row) > 1}


def unpack_from_index(package, record, wheel, folder, patterns):
    archive, remote = wheel_part.reach(package, wheel, [sys.executable, "-m", "pip"])
    with archive:
        known = hashes(archive, record)
        for entry in meant(archive, patterns):
            if put(archive, entry, folder) != known.get(entry.filename):
                raise ValueError(f"{entry.filename} is not what it should be")
    print(f"{remote.received / 1e6:.0f} MB of the package's {remote.size / 1e6:.0f} were enough")


def unpack(wheel, folder, patterns):
    with zipfile.ZipFile(wheel) as archive:
        for entry in meant(archive, patterns):
            put(archive, entry, folder)


def main(arguments):
    if arguments[:1] != ["--from-index"]:
        wheel, folder, *patterns = arguments
        os.makedirs(folder, exist_ok=True)
        unpack(wheel, folder, patterns)
        return
    package, record, wheel, folder, *patterns = arguments[1:]
    os.makedirs(folder, exist_ok=True)
    try:
        unpack_from_index(package, record, wheel, folder, patterns)
    except (*wheel_part.MISSED, StopIteration) as missed:
        # A full disk is nobody's index: the whole wheel would meet it too, and say so.
        print(f"not to be had in parts: {missed}", file=sys.stderr)
        sys.exit(MISSED)


if __name__ == "__main__":
    main(sys.argv[1:])
