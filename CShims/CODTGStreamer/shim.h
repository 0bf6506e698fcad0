#pragma once
#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/gstvideometa.h>
#include <gst/video/video-blend.h>
#include <gst/video/video.h>

/* The reference is weak, so a program without the element can be linked, too. In that program, GStreamer loads the element
 * from a plugin file. */
extern void gst_plugin_swiftodt_register (void) __attribute__ ((weak));

static inline gboolean
swiftodt_is_linked_element_registered (void)
{
  GstPluginFeature *feature = gst_registry_lookup_feature (gst_registry_get (), "swiftodt");
  if (!feature)
    return FALSE;
  GstPlugin *plugin = gst_plugin_feature_get_plugin (feature);
  gboolean is_linked = plugin && !gst_plugin_get_filename (plugin);
  g_clear_object (&plugin);
  gst_object_unref (feature);
  return is_linked;
}

/* Registers the element swiftodt if it is linked into this program, and returns whether GStreamer uses the linked element.
 * It does, unless the element of a plugin file has been used before. */
static inline gboolean
swiftodt_register_linked_element (void)
{
  /* A second registration would replace and free the element factory. */
  if (gst_plugin_swiftodt_register && !swiftodt_is_linked_element_registered ())
    gst_plugin_swiftodt_register ();
  return swiftodt_is_linked_element_registered ();
}
