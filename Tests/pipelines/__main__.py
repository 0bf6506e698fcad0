"""Runs one file of pipeline tests and writes a JUnit report.

Usage: python3 Tests/pipelines NAME REPORT.xml
"""
import os
import sys
import time
import unittest
import xml.etree.ElementTree as tree


# Without /sys (in containers) hwloc, a library of the runtime, writes a warning to standard error, which tests would compare.
os.environ.setdefault("HWLOC_HIDE_ERRORS", "2")


class Reporting(unittest.TextTestResult):
    """Keeps one XML element for every test."""

    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
        self.cases = {}

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()
        _, kind, name = test.id().rsplit(".", 2)
        self.cases[test.id()] = tree.Element("testcase", classname=kind, name=name)

    def stopTest(self, test):
        super().stopTest(test)
        self.cases[test.id()].set("time", f"{time.monotonic() - self.started:.3f}")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        tree.SubElement(self.case(test), "skipped").text = reason

    def addFailure(self, test, problem):
        super().addFailure(test, problem)
        self.note(test, problem)

    def addError(self, test, problem):
        super().addError(test, problem)
        self.note(test, problem)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        tree.SubElement(self.cases[test.id()], "failure", message="an expected failure did not occur")

    def addSubTest(self, test, subtest, problem):
        super().addSubTest(test, subtest, problem)
        if problem:
            self.note(test, problem)

    def note(self, test, problem):
        tree.SubElement(self.case(test), "failure", message=str(problem[1]))

    def case(self, test):
        # An outcome of setUpClass or of a subtest has no element yet.
        return self.cases.setdefault(test.id(), tree.Element("testcase", classname="setup", name=test.id()))


def main(name, report):
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    outcome = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Reporting).run(suite)
    root = tree.Element("testsuites")
    tree.SubElement(root, "testsuite", name=name).extend(outcome.cases.values())
    tree.ElementTree(root).write(report)
    return 0 if outcome.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
