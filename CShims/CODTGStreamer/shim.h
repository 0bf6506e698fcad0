#pragma once
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/gstvideometa.h>
#include <gst/video/video-blend.h>
#include <gst/video/video.h>

/* The reference is weak, so a program without the element can be linked, too. In that program, GStreamer loads the element
 * from a plugin file. */
extern gboolean gst_swift_odt_register (void) __attribute__ ((weak));

/* Registers the element swiftodt if it is linked into this program, and returns whether GStreamer uses the linked element.
 * It does, unless the element of a plugin file has been used before. Thread-safe. */
static inline gboolean
swiftodt_register_linked_element (void)
{
  return gst_swift_odt_register && gst_swift_odt_register ();
}
