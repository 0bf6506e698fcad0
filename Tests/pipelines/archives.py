"""What tests of archives need: the fleet's environment, if it is there, and what messages say."""
import glob
import os
import site
import sys
import unittest

from streams import ROOT

ENVIRONMENT = os.path.join(ROOT, ".build", "fleet")
PYTHON = os.path.join(ENVIRONMENT, "bin", "python")
PACKAGES = glob.glob(os.path.join(ENVIRONMENT, "lib", "python%d.%d" % sys.version_info[:2], "site-packages"))
IS_THERE = bool(PACKAGES) and os.path.exists(os.path.join(ENVIRONMENT, ".stamp"))
needs_fleet = unittest.skipUnless(IS_THERE, "no environment for fleets: Pipelines/fleet/environment/make --tests makes it")
RUN = os.path.join(ROOT, "Pipelines", "fleet", "run")
if IS_THERE:
    # Behind what Debian has: other tests of this process find what they found.
    site.addsitedir(PACKAGES[0])


def facts(path):
    """The messages without the element's figures of time at the end."""
    with open(path) as lines:
        return [line for line in lines if '"message": "stats"' not in line and '"detection-latency-p50"' not in line]
