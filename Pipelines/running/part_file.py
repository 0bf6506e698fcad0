"""Files that get their name when they are whole."""
import fcntl
import itertools
import os
import re


class PartFile:
    """A file on its way: NAME.part.EXT in the folder of NAME.EXT, until `finish` gives it that name.

    An earlier NAME.EXT stays as it is until then, and for good if something goes wrong. Whoever writes a part file holds a
    lock on it, by which `interrupted` tells those that nobody writes any more.
    """

    def __init__(self, target):
        # What a link leads to is replaced, not the link.
        self.target = os.path.realpath(target)
        if os.path.isdir(self.target):
            raise IsADirectoryError(0, "is a folder", target)
        if os.path.exists(self.target) and not os.path.isfile(self.target):
            raise OSError(0, "is no ordinary file", target)
        if os.path.exists(self.target) and not os.access(self.target, os.W_OK):
            raise PermissionError(0, "is there already and may not be written", target)
        os.makedirs(os.path.dirname(self.target), exist_ok=True)
        stem, extension = os.path.splitext(self.target)
        for number in itertools.count(1):
            self.path = f"{stem}.part{number if number > 1 else ''}{extension}"
            try:
                self.descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
                break
            except FileExistsError:
                continue
        lock(self.descriptor)

    def write(self, text):
        """Appends text, whole or not at all, and at once: who reads along sees it."""
        content, size = text.encode("utf-8", "backslashreplace"), self.size
        try:
            while content:
                content = content[os.write(self.descriptor, content):]
        except OSError:
            os.ftruncate(self.descriptor, size)
            os.lseek(self.descriptor, size, os.SEEK_SET)
            raise

    def finish(self):
        """Gives the file its name. A power failure from here on finds either the earlier file or this one."""
        os.fsync(self.descriptor)
        os.replace(self.path, self.target)
        os.close(self.descriptor)

    def discard(self):
        os.unlink(self.path)
        os.close(self.descriptor)

    @property
    def size(self):
        return os.fstat(self.descriptor).st_size


def lock(descriptor):
    """Whether the file is now ours; on a file system that knows no locks nothing is."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False


def interrupted(target):
    """The part files of this target that their programs left behind."""
    folder, name = os.path.split(os.path.realpath(target))
    stem, extension = os.path.splitext(name)
    pattern = re.compile(re.escape(stem) + r"\.part\d*" + re.escape(extension), re.DOTALL)
    left = []
    for path in sorted(os.path.join(folder, name) for name in listed(folder) if pattern.fullmatch(name)):
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            continue
        if lock(descriptor):
            left.append(path)
        os.close(descriptor)
    return left


def listed(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []
