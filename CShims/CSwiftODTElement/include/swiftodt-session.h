/* The door between the C element and the Swift core: the whole contract.
 *
 * The element calls, Swift implements (Sources/GstSwiftODT/SessionBridge.swift). A session is one element's opaque
 * Swift half; it lives from the element's init to its finalize. Unless said otherwise a function may be called from
 * any thread. The streaming functions are called with the sink pad's stream lock held, one at a time. */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Registers the element in a process that the plugin is linked into, such as a test. */
GST_PLUGIN_STATIC_DECLARE (swiftodt);

/* Adds the properties to the element's class. */
void swiftodt_install_properties (GObjectClass * klass);

/* When a property may be changed, in flags that are macros which Swift cannot see. */
static const GParamFlags SWIFTODT_PARAM_PLAYING = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
static const GParamFlags SWIFTODT_PARAM_CONTROLLABLE =
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
static const GParamFlags SWIFTODT_PARAM_READY = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
static const GParamFlags SWIFTODT_PARAM_READ_ONLY = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

/* The debug category, there as soon as the plugin is. */
extern GstDebugCategory *swiftodt_debug;

/* Whether somebody listens to a level. Where nobody does, which is the rule, it costs one comparison. */
static inline gboolean
swiftodt_logs (GstDebugLevel level)
{
  return G_UNLIKELY (level <= _gst_debug_min) && level <= gst_debug_category_get_threshold (swiftodt_debug);
}

/* For what somebody listens to. */
void swiftodt_log (gpointer element, GstDebugLevel level, const gchar * file, const gchar * function, gint line,
    const gchar * text);

typedef void *SwiftOdtSession;

/* The element, which is its session and nothing else. */
typedef struct
{
  GstBaseTransform parent;
  SwiftOdtSession session;
} GstSwiftOdt;

/* `element` is borrowed: it outlives its session. */
SwiftOdtSession swiftodt_session_new (GstBaseTransform * element);
void swiftodt_session_free (SwiftOdtSession session);

void swiftodt_session_set_property (SwiftOdtSession session, guint id, const GValue * value);
void swiftodt_session_get_property (SwiftOdtSession session, guint id, GValue * value);

/* READY to PAUSED: makes the detector. Posts the element error itself where it fails. */
gboolean swiftodt_session_start (SwiftOdtSession session);
/* Streaming has ended for good; everything of the stream is dropped. */
void swiftodt_session_stop (SwiftOdtSession session);
/* Wakes a streaming thread that waits for a detection; from now on frames are refused. */
void swiftodt_session_unlock (SwiftOdtSession session);

/* Streaming: caps that upstream sends, before it is known whether they are let in; the caps are borrowed. Posts the element error
 * where they cannot be. */
void swiftodt_session_notice_caps (SwiftOdtSession session, GstCaps * caps);
/* Streaming: whether frames of such a format are understood. */
gboolean swiftodt_session_accepts (SwiftOdtSession session, const GstVideoInfo * info);
/* Streaming: takes over a frame, in order. */
GstFlowReturn swiftodt_session_submit (SwiftOdtSession session, GstBuffer * buffer);
/* Streaming: gives out what has its turn, a finished frame or an event between two, or NULL while the first still waits. `drain`
 * waits for all. */
GstFlowReturn swiftodt_session_produce (SwiftOdtSession session, gboolean drain, GstMiniObject ** next);
/* Streaming for serialized events, any thread for others and for those that go upstream. Returns whether the event is taken
 * over, to be given out behind the frames that came before it; else it is only borrowed. */
gboolean swiftodt_session_notice (SwiftOdtSession session, GstEvent * event);

/* What the element adds to the latency of a stream that upstream says is live or not. */
GstClockTime swiftodt_session_latency (SwiftOdtSession session, gboolean live);

/* Streaming: how many frames may wait in the element. */
guint swiftodt_session_frames_held (SwiftOdtSession session);

/* The action signals. */
void swiftodt_session_reset_tracks (SwiftOdtSession session);
void swiftodt_session_detect_now (SwiftOdtSession session);

G_END_DECLS
