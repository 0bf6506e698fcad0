/**
 * SECTION:element-swiftodt
 * @title: swiftodt
 *
 * Detects, tracks, classifies and draws the objects in a video, and reports them as element messages and buffer
 * metadata.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m videotestsrc num-buffers=300 pattern=ball ! swiftodt detector=motion ! videoconvert ! autovideosink
 * ]|
 *
 * Since: 0.1.0
 */
/* Registration, pads and the virtual functions of the base class, which call the session. The logic is written in
 * Swift. */
#include "include/swiftodt-gate.h"
#include "include/swiftodt-session.h"
#include "../CODTVersion/version.h"

/* The formats of the Swift type PixelFormat. The most common output formats of decoders and cameras come first. */
#define FORMATS                                                                                  \
  "{ I420, YV12, NV12, NV21, Y42B, Y444, YUY2, UYVY, GRAY8, RGB, BGR, RGBx, BGRx, xRGB, xBGR, "  \
  "RGBA, BGRA, ARGB, ABGR, P010_10LE, I420_10LE, I422_10LE, Y444_10LE, NV16, NV61, NV24, YVYU, " \
  "VYUY, AYUV, VUYA, GBR, I420_12LE, I422_12LE, Y444_12LE, Y444_16LE, P012_LE, P016_LE, Y210, "  \
  "Y212_LE, GRAY16_LE, GBR_10LE, GBR_12LE, ARGB64_LE, RGBA64_LE, BGRA64_LE, ABGR64_LE }"

typedef GstBaseTransformClass GstSwiftOdtClass;

GstDebugCategory *swiftodt_debug;

void
swiftodt_log (gpointer element, GstDebugLevel level, const gchar * file, const gchar * function, gint line,
    const gchar * text)
{
#ifndef GST_DISABLE_GST_DEBUG
  gst_debug_log_literal (swiftodt_debug, level, file, function, line, element, text);
#endif
}

G_DEFINE_TYPE (GstSwiftOdt, gst_swift_odt, GST_TYPE_BASE_TRANSFORM)
#define SESSION(object) (((GstSwiftOdt *) (object))->session)
#define PARENT GST_BASE_TRANSFORM_CLASS (gst_swift_odt_parent_class)

/* The pads accept any caps feature, because frames in device memory pass if the element needs no pixels. If it needs
 * pixels, transform_caps excludes caps with device memory. */
#define CAPS GST_VIDEO_CAPS_MAKE (FORMATS) "; video/x-raw(ANY)"

static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

/* A pad probe that posts an error if upstream sends caps that transform_caps rejects. GStreamer rejects such caps in
 * the accept-caps query, before the base class receives the caps event. The query itself posts no error, because
 * upstream also sends it to find out which caps are possible. */
static GstPadProbeReturn
notice_caps (GstPad * pad, GstPadProbeInfo * probe, gpointer base)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (probe);
  GstCaps *caps;
  (void) pad;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    swiftodt_session_notice_caps (SESSION (base), caps);
  }
  return GST_PAD_PROBE_OK;
}

static gboolean
start (GstBaseTransform * base)
{
  return swiftodt_session_start (SESSION (base));
}

static gboolean
stop (GstBaseTransform * base)
{
  swiftodt_session_stop (SESSION (base));
  gst_clear_caps (&((GstSwiftOdt *) base)->caps);
  return TRUE;
}

static gboolean
set_caps (GstBaseTransform * base, GstCaps * in, GstCaps * out)
{
  (void) out;
  return swiftodt_session_accepts (SESSION (base), in);
}

static GstCaps *
transform_caps (GstBaseTransform * base, GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  GstCaps *all = swiftodt_session_transform_caps (SESSION (base), direction, caps);
  if (!filter)
    return all;
  GstCaps *filtered = gst_caps_intersect_full (filter, all, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (all);
  return filtered;
}

static GstCaps *
fixate_caps (GstBaseTransform * base, GstPadDirection direction, GstCaps * caps, GstCaps * other)
{
  return PARENT->fixate_caps (base, direction, caps, swiftodt_session_preferred_caps (SESSION (base), other));
}

/* The base class sends a caps event downstream before it returns, so the overlay can be negotiated afterwards. */
static gboolean
pass_event (GstBaseTransform * base, GstEvent * event)
{
  gboolean is_caps = GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
  GstCaps *caps;

  if (is_caps) {
    gst_event_parse_caps (event, &caps);
    gst_caps_replace (&((GstSwiftOdt *) base)->caps, caps);
  }
  event = swiftodt_session_filter_event (SESSION (base), event);
  gboolean is_passed = PARENT->sink_event (base, event);
  if (is_caps && is_passed)
    swiftodt_session_negotiate_overlay (SESSION (base));
  return is_passed;
}

/* Increases the minimum number of buffers in the proposed pools by `held`, the number of frames that the element holds.
 * If the maximum of a pool is too small, the pool is removed from the proposal. While caps are queued, downstream
 * proposes the size of earlier frames. */
static void
propose_pools (GstQuery * query, guint frame_size, guint held)
{
  GstBufferPool *pool;
  guint size, min, max;
  guint count = gst_query_get_n_allocation_pools (query);

  if (!count)
    gst_query_add_allocation_pool (query, NULL, frame_size, held, 0);
  for (guint i = 0; i < count; i++) {
    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    gboolean is_narrow = max && max - MIN (min, max) < held;
    gst_query_set_nth_allocation_pool (query, i, is_narrow ? NULL : pool, MAX (size, frame_size), min + held, is_narrow ? 0 : max);
    g_clear_object (&pool);
  }
}

/* Forwards downstream's proposal to upstream, or proposes a pool if downstream makes no proposal. The proposal keeps
 * GstVideoMeta, because this element reads it. Upstream may therefore pad the planes. Crop metadata is removed from the
 * proposal, because this element ignores it. */
static gboolean
propose_allocation (GstBaseTransform * base, GstQuery * decide, GstQuery * query)
{
  GstCaps *caps;
  GstVideoInfo info;
  guint crop;

  PARENT->propose_allocation (base, decide, query);
  gst_query_parse_allocation (query, &caps, NULL);
  if (!caps)
    return FALSE;
  gst_video_info_init (&info);
  /* The size of frames in device memory may be unknown. The element then cannot propose a pool itself. */
  if (!gst_video_info_from_caps (&info, caps) && !gst_query_get_n_allocation_pools (query))
    return FALSE;
  propose_pools (query, GST_VIDEO_INFO_SIZE (&info), swiftodt_session_frames_held (SESSION (base)));
  while (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE, &crop))
    gst_query_remove_nth_allocation_meta (query, crop);
  return TRUE;
}

/* The base class updates the position of the segment only for buffers that it pushes itself. */
static void
note_position (GstBaseTransform * base, GstBuffer * buffer)
{
  if (GST_BUFFER_PTS_IS_VALID (buffer) && base->segment.format == GST_FORMAT_TIME)
    base->segment.position = GST_BUFFER_PTS (buffer)
        + (GST_BUFFER_DURATION_IS_VALID (buffer) ? GST_BUFFER_DURATION (buffer) : 0);
}

/* Returns the flow after caps were refused. Drops the frames that need them. */
static GstFlowReturn
drop_refused (GstBaseTransform * base)
{
  if (GST_PAD_IS_FLUSHING (base->srcpad))
    return GST_FLOW_FLUSHING;
  swiftodt_session_drop_refused (SESSION (base), FALSE);
  return GST_FLOW_NOT_NEGOTIATED;
}

/* If downstream was relinked or requests it, negotiates before the next held frame is drawn on and pushed. The caps are
 * those of this frame. gst_base_transform_reconfigure would use the latest caps, which may be queued behind it. */
static GstFlowReturn
renegotiate (GstBaseTransform * base)
{
  gboolean has_pending_events = GST_PAD_HAS_PENDING_EVENTS (base->srcpad);

  if (!GST_PAD_NEEDS_RECONFIGURE (base->srcpad) || !swiftodt_session_is_frame_next (SESSION (base)))
    return GST_FLOW_OK;
  if (pass_event (base, gst_event_new_caps (((GstSwiftOdt *) base)->caps)))
    return GST_FLOW_OK;
  if (!swiftodt_session_has_queued_caps (SESSION (base)))
    return GST_PAD_IS_FLUSHING (base->srcpad) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
  /* Downstream may accept the queued caps. Without a new peer, it has received the caps of the held frames before. */
  return has_pending_events ? drop_refused (base) : GST_FLOW_OK;
}

/* Outputs the finished frames and the events between them in their original order. If `drain` is TRUE, waits until all
 * frames are finished. */
static GstFlowReturn
forward (GstBaseTransform * base, gboolean drain)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMiniObject *next;

  while (flow == GST_FLOW_OK) {
    if ((flow = renegotiate (base)) != GST_FLOW_OK)
      break;
    flow = swiftodt_session_produce (SESSION (base), drain, &next);
    if (flow != GST_FLOW_OK || !next)
      break;
    if (!GST_IS_EVENT (next)) {
      note_position (base, GST_BUFFER_CAST (next));
      flow = gst_pad_push (base->srcpad, GST_BUFFER_CAST (next));
      if (flow <= GST_FLOW_EOS)
        swiftodt_session_drop_refused (SESSION (base), flow == GST_FLOW_EOS);
    } else {
      gboolean is_caps = GST_EVENT_TYPE (next) == GST_EVENT_CAPS;
      if (!pass_event (base, GST_EVENT_CAST (next)) && is_caps)
        flow = drop_refused (base);
    }
  }
  return flow;
}

/* Outputs frames, for callers that cannot return the flow to upstream. Posts an error if downstream refuses their caps.
 * Returns whether the flow is OK. */
static gboolean
forward_checked (GstBaseTransform * base, gboolean drain)
{
  return swiftodt_session_check_flow (SESSION (base), forward (base, drain));
}

/* Lets the base class negotiate and store the buffer, then passes the buffer to the session. While caps are queued, the
 * base class is omitted: it would negotiate with the latest caps if another thread requested it, and send these caps
 * before the held frames. */
static GstFlowReturn
submit_input_buffer (GstBaseTransform * base, gboolean discont, GstBuffer * input)
{
  GstFlowReturn flow;
  gboolean is_reconfigured = GST_PAD_NEEDS_RECONFIGURE (base->srcpad);
  gst_base_transform_set_passthrough (base, swiftodt_session_is_passthrough (SESSION (base)));
  /* Negotiates for the held frames. */
  if (is_reconfigured && (flow = forward (base, FALSE)) != GST_FLOW_OK) {
    gst_buffer_unref (input);
    return flow;
  }
  if (swiftodt_session_has_queued_caps (SESSION (base)))
    return swiftodt_session_submit (SESSION (base), input);
  flow = PARENT->submit_input_buffer (base, discont, input);
  if (is_reconfigured && flow == GST_FLOW_OK)
    swiftodt_session_negotiate_overlay (SESSION (base));
  GstBuffer *buffer = g_steal_pointer (&base->queued_buf);
  if (flow != GST_FLOW_OK || !buffer)
    return flow;
  return swiftodt_session_submit (SESSION (base), buffer);
}

/* Pushes the finished frames and returns no buffer. The base class would copy the DISCONT flag of the latest input
 * buffer to a returned buffer, which can be an earlier frame. */
static GstFlowReturn
generate_output (GstBaseTransform * base, GstBuffer ** output)
{
  *output = NULL;
  return forward (base, FALSE);
}

/* Returns whether the stream may pause after the event. The held frames must then not wait for later frames. */
static gboolean
is_pause (GstEvent * event)
{
  gboolean is_still = FALSE;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
    case GST_EVENT_STREAM_GROUP_DONE:
      return TRUE;
    default:
      return gst_video_event_parse_still_frame (event, &is_still) && is_still;
  }
}

/* An event that follows held frames is queued behind them. If the stream may pause after the event, the held frames are
 * pushed first. */
static gboolean
sink_event (GstBaseTransform * base, GstEvent * event)
{
  gboolean is_over = GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP;
  /* After a refused caps event, upstream fails itself. */
  gboolean is_checked = GST_EVENT_TYPE (event) != GST_EVENT_CAPS && !is_pause (event);

  if (is_pause (event))
    forward_checked (base, TRUE);
  if (swiftodt_session_notice (SESSION (base), event)) {
    GstFlowReturn flow = forward (base, FALSE);
    if (is_checked)
      swiftodt_session_check_flow (SESSION (base), flow);
    /* EOS, FLUSHING and NOT_LINKED concern the frames, not the event. A later frame returns this flow. */
    return flow >= GST_FLOW_EOS;
  }
  gboolean is_sent = pass_event (base, event);
  if (is_over)
    forward (base, TRUE);
  return is_sent;
}

static gboolean
src_event (GstBaseTransform * base, GstEvent * event)
{
  /* Upstream events other than seeks do not affect the stream. */
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    swiftodt_session_notice (SESSION (base), event);
  return PARENT->src_event (base, event);
}

static gboolean
query (GstBaseTransform * base, GstPadDirection direction, GstQuery * query)
{
  gboolean live;
  GstClockTime min, max, own;

  gboolean is_allocation = GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION;
  gboolean is_serialized = direction == GST_PAD_SINK && GST_QUERY_IS_SERIALIZED (query);
  /* The base class negotiates with the latest caps before it answers an allocation query. The held frames are negotiated
   * before that. */
  gboolean is_reconfigured = is_serialized && is_allocation && GST_PAD_NEEDS_RECONFIGURE (base->srcpad);

  /* A serialized query must follow the frames that precede it. The allocation query is an exception, because it concerns
   * later frames. */
  if (is_serialized && (!is_allocation || is_reconfigured) && !forward_checked (base, !is_allocation))
    return FALSE;
  /* Downstream has refused to negotiate for the held frames. The base class would send the queued caps before them. */
  if (is_reconfigured && GST_PAD_NEEDS_RECONFIGURE (base->srcpad) && swiftodt_session_has_queued_caps (SESSION (base)))
    return FALSE;
  gboolean is_answered = PARENT->query (base, direction, query);
  if (is_reconfigured)
    swiftodt_session_negotiate_overlay (SESSION (base));
  if (!is_answered)
    return FALSE;
  if (direction == GST_PAD_SRC && GST_QUERY_TYPE (query) == GST_QUERY_LATENCY) {
    gst_query_parse_latency (query, &live, &min, &max);
    own = swiftodt_session_latency (SESSION (base), live);
    gst_query_set_latency (query, live, min + own, GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  }
  return TRUE;
}

static GstStateChangeReturn
change_state (GstElement * element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    swiftodt_session_unlock (SESSION (element));
  return GST_ELEMENT_CLASS (gst_swift_odt_parent_class)->change_state (element, transition);
}

static void
set_property (GObject * object, guint id, const GValue * value, GParamSpec * spec)
{
  (void) spec;
  swiftodt_session_set_property (SESSION (object), id, value);
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * spec)
{
  (void) spec;
  swiftodt_session_get_property (SESSION (object), id, value);
}

static void
reset_tracks (GstSwiftOdt * self)
{
  swiftodt_session_reset_tracks (self->session);
}

static void
detect_now (GstSwiftOdt * self)
{
  swiftodt_session_detect_now (self->session);
}

static void
finalize (GObject * object)
{
  swiftodt_session_free (SESSION (object));
  G_OBJECT_CLASS (gst_swift_odt_parent_class)->finalize (object);
}

static void
gst_swift_odt_init (GstSwiftOdt * self)
{
  GstBaseTransform *base = GST_BASE_TRANSFORM (self);
  self->session = swiftodt_session_new (base);
  gst_base_transform_set_passthrough (base, FALSE);
  gst_pad_add_probe (base->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, notice_caps, base, NULL);
  /* With QoS the base class would drop frames, and their detections would be lost. */
  gst_base_transform_set_qos_enabled (base, FALSE);
}

static void
gst_swift_odt_class_init (GstSwiftOdtClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  swiftodt_install_properties (object_class);

  /**
   * GstSwiftOdt::reset-tracks:
   * @object: the element
   *
   * Ends all tracks. The ids of later tracks continue.
   *
   * Since: 0.1.0
   */
  g_signal_new_class_handler ("reset-tracks", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (reset_tracks), NULL, NULL, NULL, G_TYPE_NONE, 0);
  /**
   * GstSwiftOdt::detect-now:
   * @object: the element
   *
   * Runs inference on the next frame, regardless of inference-interval.
   *
   * Since: 0.1.0
   */
  g_signal_new_class_handler ("detect-now", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (detect_now), NULL, NULL, NULL, G_TYPE_NONE, 0);

  gst_element_class_set_static_metadata (element_class, "Object detection and tracking",
      "Filter/Analyzer/Video",
      "Detects objects in video, tracks, classifies and draws them, and reports them as messages and metadata",
      "The swiftodt developers <" SWIFTODT_PAGE ">");
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);

  element_class->change_state = GST_DEBUG_FUNCPTR (change_state);
  klass->start = GST_DEBUG_FUNCPTR (start);
  klass->stop = GST_DEBUG_FUNCPTR (stop);
  klass->transform_caps = GST_DEBUG_FUNCPTR (transform_caps);
  klass->fixate_caps = GST_DEBUG_FUNCPTR (fixate_caps);
  klass->set_caps = GST_DEBUG_FUNCPTR (set_caps);
  klass->propose_allocation = GST_DEBUG_FUNCPTR (propose_allocation);
  klass->submit_input_buffer = GST_DEBUG_FUNCPTR (submit_input_buffer);
  klass->generate_output = GST_DEBUG_FUNCPTR (generate_output);
  klass->sink_event = GST_DEBUG_FUNCPTR (sink_event);
  klass->src_event = GST_DEBUG_FUNCPTR (src_event);
  klass->query = GST_DEBUG_FUNCPTR (query);
}

static gboolean
plugin_init (GstPlugin * plugin)
{
  enum { OWN_TYPES = 1, TYPES_OF_ANOTHER_COPY };
  static gsize types;
  GST_DEBUG_CATEGORY_INIT (swiftodt_debug, "swiftodt", 0, "Object detection and tracking");
  /* A plugin file and a program that the element is linked into can be in one process. GLib registers the name of a type
   * only once, so the copy that is used first stays. */
  if (g_once_init_enter (&types)) {
    gboolean is_first = g_type_from_name ("GstSwiftOdt") == G_TYPE_INVALID;
    if (is_first)
      gst_swift_odt_get_type ();
    g_once_init_leave (&types, is_first ? OWN_TYPES : TYPES_OF_ANOTHER_COPY);
  }
  if (types == TYPES_OF_ANOTHER_COPY) {
    GST_WARNING ("swiftodt is not registered from here, because another copy of the element is loaded");
    return FALSE;
  }
  return gst_element_register (plugin, "swiftodt", GST_RANK_NONE, gst_swift_odt_get_type ())
      && gst_element_register (plugin, "swiftodtgate", GST_RANK_NONE, gst_swift_odt_gate_get_type ());
}

#define PACKAGE "swiftodt"
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, swiftodt, "Object detection and tracking in Swift",
    plugin_init, SWIFTODT_VERSION, "Apache 2.0", "swiftodt", SWIFTODT_PAGE)

static gboolean
is_linked_element_registered (void)
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

gboolean gst_swift_odt_register (void);

/* See swiftodt_register_linked_element. */
gboolean
gst_swift_odt_register (void)
{
  static GMutex lock;
  g_mutex_lock (&lock);
  /* A second registration would replace and free the element factory. */
  if (!is_linked_element_registered ())
    gst_plugin_swiftodt_register ();
  gboolean is_registered = is_linked_element_registered ();
  g_mutex_unlock (&lock);
  return is_registered;
}
