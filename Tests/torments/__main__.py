"""Runs one torment in this process. Tests/torture starts it.

Usage: python3 Tests/torments NAME SEED FOLDER
"""
import signal
import sys
import traceback

import torment


def main(name, seed, folder):
    # A shell starts what runs in the background deaf to an interrupt, and its children would be too.
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)
    torment.all_torments()
    trial = torment.Trial(int(seed), folder)
    try:
        torment.found[name].function(trial)
    except torment.Skip as skip:
        print(skip, flush=True)
        return torment.SKIPPED
    except torment.Finding as finding:
        print("\n" + " | ".join(str(finding).splitlines()), flush=True)
        return 1
    except Exception as problem:
        traceback.print_exc()
        print(f"\n{type(problem).__name__}: {problem}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
