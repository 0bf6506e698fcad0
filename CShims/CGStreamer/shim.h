#pragma once
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/gstvideometa.h>
#include <gst/video/video-blend.h>
#include <gst/video/video.h>
