/**
 * SECTION:element-swiftodtgate
 * @title: swiftodtgate
 *
 * Passes only key frames to the decoder while the picture is calm, and all frames while swiftodt reports activity.
 *
 * The frames since the latest key frame are kept. When the gate opens, they are passed late, with unchanged timestamps.
 *
 * ## Example launch line
 * |[
 * gst-launch-1.0 -m rtspsrc location=rtsp://camera/ ! rtph264depay ! h264parse ! swiftodtgate ! avdec_h264 \
 *   ! swiftodt inference-interval=0 ! fakesink
 * ]|
 *
 * Since: 0.1.0
 */
/* Registration, pads and the pad functions, which call the session. The logic is written in Swift. */
#include "include/swiftodt-gate.h"
#include "../CODTVersion/version.h"

typedef GstElementClass GstSwiftOdtGateClass;

G_DEFINE_TYPE (GstSwiftOdtGate, gst_swift_odt_gate, GST_TYPE_ELEMENT)
#define SESSION(object) (((GstSwiftOdtGate *) (object))->session)
#define PARENT GST_ELEMENT_CLASS (gst_swift_odt_gate_parent_class)

/* The template accepts streams that are not parsed. The session then posts an error that names the missing parser.
 * Without this, linking would fail without an explanation. */
static GstStaticPadTemplate sink_template =
GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("video/x-h264; video/x-h265; video/x-av1"));

#define PARSED_CAPS                                   \
  "video/x-h264, parsed=true, alignment=au; "         \
  "video/x-h265, parsed=true, alignment=au; "         \
  "video/x-av1, parsed=true, alignment=tu"
static GstStaticPadTemplate src_template =
GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (PARSED_CAPS));

static GstFlowReturn
chain (GstPad * pad, GstObject * parent, GstBuffer * buffer)
{
  (void) pad;
  return swiftodt_gate_session_push (SESSION (parent), buffer);
}

static gboolean
sink_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  gboolean is_caps = GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
  GstCaps *caps;

  if (is_caps) {
    gst_event_parse_caps (event, &caps);
    if (!swiftodt_gate_session_accepts (SESSION (parent), caps)) {
      gst_event_unref (event);
      return FALSE;
    }
  }
  if (GST_EVENT_IS_SERIALIZED (event))
    swiftodt_gate_session_notice (SESSION (parent), event);
  /* The default function does not forward caps. */
  return is_caps ? gst_pad_push_event (((GstSwiftOdtGate *) parent)->srcpad, event)
      : gst_pad_event_default (pad, parent, event);
}

static gboolean
src_event (GstPad * pad, GstObject * parent, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_CUSTOM_UPSTREAM)
    swiftodt_gate_session_notice_upstream (SESSION (parent), event);
  return gst_pad_event_default (pad, parent, event);
}

/* Returns the caps of the parsed streams that downstream accepts. Before the sink pad is linked, returns the caps of
 * its template, which include streams that are not parsed. */
static GstCaps *
sink_caps (GstPad * pad, GstObject * parent, GstCaps * filter)
{
  GstCaps *caps;

  if (!gst_pad_is_linked (pad)) {
    caps = gst_pad_get_pad_template_caps (pad);
  } else {
    GstCaps *parsed = gst_static_pad_template_get_caps (&src_template);
    caps = gst_pad_peer_query_caps (((GstSwiftOdtGate *) parent)->srcpad, parsed);
    gst_caps_unref (parsed);
  }
  if (!filter)
    return caps;
  GstCaps *filtered = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (caps);
  return filtered;
}

static gboolean
sink_query (GstPad * pad, GstObject * parent, GstQuery * query)
{
  GstCaps *filter, *caps;

  if (GST_QUERY_TYPE (query) == GST_QUERY_DRAIN && !swiftodt_gate_session_drain (SESSION (parent)))
    return FALSE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS)
    return gst_pad_query_default (pad, parent, query);
  gst_query_parse_caps (query, &filter);
  caps = sink_caps (pad, parent, filter);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

static GstStateChangeReturn
change_state (GstElement * element, GstStateChange transition)
{
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    swiftodt_gate_session_start (SESSION (element));
  GstStateChangeReturn result = PARENT->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    swiftodt_gate_session_stop (SESSION (element));
  return result;
}

static void
set_property (GObject * object, guint id, const GValue * value, GParamSpec * spec)
{
  (void) spec;
  swiftodt_gate_session_set_property (SESSION (object), id, value);
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * spec)
{
  (void) spec;
  swiftodt_gate_session_get_property (SESSION (object), id, value);
}

static void
open_gate (GstSwiftOdtGate * self)
{
  swiftodt_gate_session_open (self->session);
}

static void
finalize (GObject * object)
{
  swiftodt_gate_session_free (SESSION (object));
  G_OBJECT_CLASS (gst_swift_odt_gate_parent_class)->finalize (object);
}

static void
gst_swift_odt_gate_init (GstSwiftOdtGate * self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, GST_DEBUG_FUNCPTR (chain));
  gst_pad_set_event_function (self->sinkpad, GST_DEBUG_FUNCPTR (sink_event));
  gst_pad_set_query_function (self->sinkpad, GST_DEBUG_FUNCPTR (sink_query));
  /* With this flag, the accept-caps query compares caps with the template only. The caps event of a stream that is not
  * parsed then reaches the session, which posts an error that names the missing parser. */
  GST_PAD_SET_ACCEPT_TEMPLATE (self->sinkpad);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, GST_DEBUG_FUNCPTR (src_event));
  GST_PAD_SET_PROXY_CAPS (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);
  self->session = swiftodt_gate_session_new (self);
}

static void
gst_swift_odt_gate_class_init (GstSwiftOdtGateClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  swiftodt_gate_install_properties (object_class);

  /**
   * GstSwiftOdtGate::open:
   * @object: the element
   *
   * Opens the gate for at least hold-time, at the next frame.
   *
   * Since: 0.1.0
   */
  g_signal_new_class_handler ("open", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION,
      G_CALLBACK (open_gate), NULL, NULL, NULL, G_TYPE_NONE, 0);

  gst_element_class_set_static_metadata (klass, "Gate before the decoder", "Filter/Video",
      "Passes only key frames to the decoder while the picture is calm, and releases the kept frames when swiftodt "
      "reports activity", "The swiftodt developers <" SWIFTODT_PAGE ">");
  gst_element_class_add_static_pad_template (klass, &sink_template);
  gst_element_class_add_static_pad_template (klass, &src_template);
  klass->change_state = GST_DEBUG_FUNCPTR (change_state);
}
