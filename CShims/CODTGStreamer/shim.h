#pragma once
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/gstvideometa.h>
#include <gst/video/video-blend.h>
#include <gst/video/video.h>

/* Registers the element swiftodt if it is linked into this program, and returns whether it is linked. The reference is
 * weak, so a program without the element can be linked, too. In that program, GStreamer loads the element from a plugin
 * file. */
extern void gst_plugin_swiftodt_register (void) __attribute__ ((weak));

static inline gboolean
swiftodt_register_linked_element (void)
{
  if (!gst_plugin_swiftodt_register)
    return FALSE;
  /* The linked element takes precedence over a plugin file. A second registration would replace and free its element
   * factory. */
  GstPluginFeature *feature = gst_registry_lookup_feature (gst_registry_get (), "swiftodt");
  if (feature) {
    GstPlugin *plugin = gst_plugin_feature_get_plugin (feature);
    gboolean is_linked = plugin && !gst_plugin_get_filename (plugin);
    g_clear_object (&plugin);
    gst_object_unref (feature);
    if (is_linked)
      return TRUE;
  }
  gst_plugin_swiftodt_register ();
  return TRUE;
}
