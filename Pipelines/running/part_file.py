"""Files that get their name when they are whole."""
import itertools
import os


class PartFile:
    """A file on its way: NAME.part.EXT in the folder of NAME.EXT, until `finish` gives it that name.

    An earlier NAME.EXT stays as it is until then, and for good if something goes wrong.
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
