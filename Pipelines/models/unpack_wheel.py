"""Extracts the files of a wheel whose names match a pattern into one folder, without subfolders.

    unpack_wheel.py WHEEL FOLDER PATTERN ...
    unpack_wheel.py --from-index PACKAGE RECORD WHEEL FOLDER PATTERN ...

Each extracted file is compared with its hash in the wheel's RECORD. In the second form WHEEL is only a file name: the program reads
just these files from the package index by range requests. RECORD is the SHA-256 of the wheel's RECORD. Exits with 3 if that fails;
then download the whole wheel.
"""
import base64
import csv
import fnmatch
import hashlib
import os
import shutil
import sys
import zipfile

sys.dont_write_bytecode = True
import wheel_part  # noqa: E402

MISSED = 3
PIECE = 1 << 20


def put(archive, entry, folder):
    """Extracts one file and returns the SHA-256 of the written file in the form of RECORD."""
    target, content = os.path.join(folder, os.path.basename(entry.filename)), hashlib.sha256()
    with archive.open(entry) as source, open(target, "wb+") as file:
        shutil.copyfileobj(source, file, PIECE)
        file.seek(0)
        while piece := file.read(PIECE):
            content.update(piece)
    if ".so" in target:
        os.chmod(target, 0o755)
    return "sha256=" + base64.urlsafe_b64encode(content.digest()).rstrip(b"=").decode()


def meant(archive, patterns):
    """Returns the matching entries in the order of the archive, so that no range is requested twice."""
    entries = [entry for entry in archive.infolist()
               if not entry.is_dir() and any(fnmatch.fnmatch(entry.filename, pattern) for pattern in patterns)]
    return sorted(entries, key=lambda entry: entry.header_offset)


def hashes(archive, record):
    """Returns the hash of each file from the archive's RECORD, whose own hash is checked if `record` is not None."""
    name = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
    text = archive.read(name)
    if record and hashlib.sha256(text).hexdigest() != record:
        raise zipfile.BadZipFile(f"{name} does not have the expected SHA-256")
    return {row[0]: row[1] for row in csv.reader(text.decode().splitlines()) if len(row) > 1}


def unpack(archive, record, folder, patterns):
    with archive:
        known = hashes(archive, record)
        for entry in meant(archive, patterns):
            if put(archive, entry, folder) != known.get(entry.filename):
                raise zipfile.BadZipFile(f"{entry.filename} does not have the expected SHA-256")


def unpack_from_index(package, record, wheel, folder, patterns):
    archive, remote = wheel_part.reach(package, wheel, [sys.executable, "-m", "pip"])
    unpack(archive, record, folder, patterns)
    print(f"{remote.received / 1e6:.0f} MB of the package's {remote.size / 1e6:.0f} downloaded")


def main(arguments):
    if arguments[:1] != ["--from-index"]:
        wheel, folder, *patterns = arguments
        os.makedirs(folder, exist_ok=True)
        # The caller has checked the hash of the wheel.
        unpack(zipfile.ZipFile(wheel), None, folder, patterns)
        return
    package, record, wheel, folder, *patterns = arguments[1:]
    os.makedirs(folder, exist_ok=True)
    try:
        unpack_from_index(package, record, wheel, folder, patterns)
    except (*wheel_part.MISSED, StopIteration) as missed:
        # An error of the file system (disk full) also ends here. Then the download of the whole wheel reports it.
        # The texts of other errors may quote the address of the index, with its password.
        reason = missed if isinstance(missed, (OSError, zipfile.BadZipFile)) else type(missed).__name__
        print(f"cannot be downloaded in parts: {reason}", file=sys.stderr)
        sys.exit(MISSED)


if __name__ == "__main__":
    main(sys.argv[1:])
