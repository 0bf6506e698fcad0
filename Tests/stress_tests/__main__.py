"""Runs one stress test in this process. Tests/stress starts it.

Usage: python3 Tests/stress_tests NAME SEED FOLDER
"""
import signal
import sys
import traceback

import stress_test


def main(name, seed, folder):
    # A shell starts background jobs with SIGINT ignored, and child processes would inherit that.
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_DFL)
    stress_test.all_stress_tests()
    trial = stress_test.Trial(int(seed), folder)
    try:
        stress_test.found[name].function(trial)
    except stress_test.Skip as skip:
        print(skip, flush=True)
        return stress_test.SKIPPED
    except stress_test.Finding as finding:
        print("\n" + " | ".join(str(finding).splitlines()), flush=True)
        return 1
    except Exception as problem:
        traceback.print_exc()
        print(f"\n{type(problem).__name__}: {problem}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
