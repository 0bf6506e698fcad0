"""What the programs in Pipelines have in common: words, exit codes, and sentences instead of tracebacks."""
import getopt
import os
import signal
import sys
import threading

# The name of threads that are not waited for at the end: what hangs in there is beyond help.
HANGING = "hanging"


class Failure(Exception):
    """Something that the user can do something about, in a sentence."""

    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code


def say(text):
    """A sentence for people, on the standard error. That nobody reads it any more stops nothing."""
    try:
        print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr, flush=True)
    except OSError:
        pass


def open_missing_descriptors():
    """Opens /dev/null for standard descriptors that are closed (`>&-`), before GStreamer's sockets or a file get their numbers. The
    standard output is opened for reading, so that writing to it remains an error."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if descriptor == 2 else os.O_RDONLY)
            os.set_inheritable(descriptor, True)
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)


def program(main):
    """Runs a program's main function and ends with its exit code, or with a sentence where it cannot go on."""
    open_missing_descriptors()
    # Lines are UTF-8 whatever the language of the terminal is, as JSON wants it.
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except Failure as failure:
        say(failure)
        code = failure.code
    except BrokenPipeError:
        # Nobody reads any more: what ends `| head` in every shell.
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
    """What a system call complains about."""
    return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)


def words_and_options(arguments, known, usage):
    """The options by name and the other words, in any order; what follows -- is no option."""
    try:
        options, words = getopt.gnu_getopt(arguments, "h" + known, ["help"])
    except getopt.GetoptError as error:
        raise Failure(f"{error}\n{usage}", code=2) from None
    options = dict(options)
    if "-h" in options or "--help" in options:
        print(usage)
        # Here and not at the exit, where newer Pythons complain of a full disk in their own words.
        sys.stdout.flush()
        raise SystemExit
    return options, words
