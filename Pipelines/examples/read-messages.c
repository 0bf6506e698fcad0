/* Prints the messages of swiftodt on the bus and the metadata that it attaches to buffers.
 *
 *   cc read-messages.c -o read-messages $(pkg-config --cflags --libs gstreamer-video-1.0)
 *   ./read-messages videotestsrc num-buffers=300 pattern=ball ! swiftodt detector=motion ! fakesink
 *
 * Prints one line for each object of each message, for each event, and for each region on a buffer. */
#include <gst/gst.h>
#include <gst/video/video.h>

static void
print_object (const GstStructure *object)
{
  guint64 id = 0;
  guint x = 0, y = 0, width = 0, height = 0;
  gdouble score = 0;

  /* In single-image mode there is no id, and it remains 0. */
  gst_structure_get_uint64 (object, "tracking-id", &id);
  gst_structure_get (object, "x", G_TYPE_UINT, &x, "y", G_TYPE_UINT, &y, "width", G_TYPE_UINT, &width, "height", G_TYPE_UINT, &height,
      "score", G_TYPE_DOUBLE, &score, NULL);
  g_print ("  object %" G_GUINT64_FORMAT " \"%s\" %s %.2f at %u,%u %ux%u\n", id, gst_structure_get_string (object, "label"),
      gst_structure_get_string (object, "state"), score, x, y, width, height);
}

/* Prints a message `swiftodt` or the metadata, which has the same fields. */
static void
print_result (const gchar *from, const GstStructure *result)
{
  const GValue *objects = gst_structure_get_value (result, "objects");
  GstClockTime time = GST_CLOCK_TIME_NONE;

  gst_structure_get_uint64 (result, "timestamp", &time);
  g_print ("%s at %" GST_TIME_FORMAT "\n", from, GST_TIME_ARGS (time));
  for (guint i = 0; objects && i < gst_value_list_get_size (objects); i++)
    print_object (gst_value_get_structure (gst_value_list_get_value (objects, i)));
}

static void
print_event (const GstStructure *event)
{
  const gchar *zone = gst_structure_get_string (event, "zone");
  guint64 id = 0;

  gst_structure_get_uint64 (event, "tracking-id", &id);
  g_print ("%s %s %s%s%" G_GUINT64_FORMAT " \"%s\"\n", gst_structure_get_name (event), gst_structure_get_string (event, "event"),
      zone ? zone : "", zone ? " " : "", id, gst_structure_get_string (event, "label"));
}

/* Runs on the streaming thread. The buffer is valid only during the call. */
static GstPadProbeReturn
read_metadata (GstPad *pad, GstPadProbeInfo *info, gpointer unused)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstCustomMeta *custom = gst_buffer_get_custom_meta (buffer, "SwiftOdtMeta");
  GstMeta *meta;
  gpointer next = NULL;

  (void) pad, (void) unused;
  if (custom)
    print_result ("metadata", gst_custom_meta_get_structure (custom));
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &next, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    GstVideoRegionOfInterestMeta *region = (GstVideoRegionOfInterestMeta *) meta;
    g_print ("  region %d \"%s\" at %u,%u %ux%u\n", region->id, g_quark_to_string (region->roi_type), region->x, region->y, region->w,
        region->h);
  }
  return GST_PAD_PROBE_OK;
}

static void
watch_buffers (const GValue *element, gpointer unused)
{
  GstPad *pad = gst_element_get_static_pad (g_value_get_object (element), "src");

  (void) unused;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, read_metadata, NULL, NULL);
  gst_object_unref (pad);
}

/* Handles a message. Returns whether the stream continues. */
static gboolean
handle_message (GstMessage *message, gboolean *failed)
{
  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_EOS:
      return FALSE;
    case GST_MESSAGE_ERROR:{
      GError *error = NULL;
      gst_message_parse_error (message, &error, NULL);
      g_printerr ("%s\n", error->message);
      g_error_free (error);
      *failed = TRUE;
      return FALSE;
    }
    default:
      if (gst_message_has_name (message, "swiftodt"))
        print_result ("message", gst_message_get_structure (message));
      else if (gst_message_has_name (message, "swiftodt-track") || gst_message_has_name (message, "swiftodt-zone"))
        print_event (gst_message_get_structure (message));
      return TRUE;
  }
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  GstElement *pipeline;
  GstIterator *elements;
  GstMessage *message;
  GstBus *bus;
  gboolean is_running = TRUE, failed = FALSE;

  gst_init (&argc, &argv);
  pipeline = gst_parse_launchv ((const gchar **) argv + 1, &error);
  if (!pipeline || error) {
    g_printerr ("cannot parse the pipeline: %s\n", error ? error->message : "");
    return 2;
  }
  if (!GST_IS_PIPELINE (pipeline)) {
    g_printerr ("a pipeline needs more than one element\n");
    return 2;
  }
  elements = gst_bin_iterate_all_by_element_factory_name (GST_BIN (pipeline), "swiftodt");
  gst_iterator_foreach (elements, watch_buffers, NULL);
  gst_iterator_free (elements);

  bus = gst_element_get_bus (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (is_running && (message = gst_bus_timed_pop_filtered (bus, GST_CLOCK_TIME_NONE,
              GST_MESSAGE_ELEMENT | GST_MESSAGE_EOS | GST_MESSAGE_ERROR))) {
    is_running = handle_message (message, &failed);
    gst_message_unref (message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return failed ? 1 : 0;
}
