"""Command line, exit codes and error texts of the Python programs in Pipelines."""
import getopt
import os
import signal
import sys
import threading

# The name of threads that the program does not join at exit, because they hang inside GStreamer.
HANGING = "hanging"


class Failure(Exception):
    """An error that the user can correct; its text is printed without a traceback."""

    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code


def say(text):
    """Prints a text on standard error. Errors of the output are ignored."""
    try:
        print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr, flush=True)
    except OSError:
        pass


def open_missing_descriptors():
    """Opens /dev/null for standard descriptors that are closed (`>&-`), so that no socket or file gets their numbers.

    The standard output is opened for reading, so that writing to it remains an error.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if descriptor == 2 else os.O_RDONLY)
            os.set_inheritable(descriptor, True)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)


def program(main):
    """Runs a program's main function and exits with its code. Prints known errors as one sentence."""
    open_missing_descriptors()
    # JSON requires UTF-8 regardless of the locale.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except Failure as failure:
        say(failure)
        code = failure.code
    except BrokenPipeError:
        # The reader of the output is gone (`| head`): the exit code of a shell for SIGPIPE.
        code = 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except OSError as error:
        say(sentence(error))
        code = 1
    try:
        sys.stdout.close()
    except OSError:
        pass
    if any(thread.name == HANGING for thread in threading.enumerate()):
        os._exit(code)
    sys.exit(code)


def sentence(error):
    """Returns the text of an error of a system call, with the file name if there is one."""
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)


def words_and_options(arguments, known, usage):
    """Returns the options by name and the other words. They may be in any order; words after -- are no options."""
    try:
        options, words = getopt.gnu_getopt(arguments, "h" + known, ["help"])
    except getopt.GetoptError as error:
        raise Failure(f"{error}\n{usage}", code=2) from None
    options = dict(options)
    if "-h" in options or "--help" in options:
        print(usage)
        # Flushed here, so that `program` reports a full disk. At interpreter exit Python prints its own error.
        sys.stdout.flush()
        raise SystemExit
    return options, words
