#pragma once
#include <gst/check/gstharness.h>
