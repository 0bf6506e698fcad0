/* The interface between the C element and its Swift implementation.
 *
 * The element calls these functions; Sources/GstSwiftODT/Session/SessionBridge.swift implements them. A session is
 * the opaque Swift object of one element and exists from the element's init to its finalize. Functions are
 * thread-safe unless marked as streaming functions, which are called one at a time with the sink pad's stream lock
 * held. */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Registers the element in a process that links the plugin statically, such as a test. */
GST_PLUGIN_STATIC_DECLARE (swiftodt);

/* Installs the properties in the element's class. */
void swiftodt_install_properties (GObjectClass * klass);

/* Property flags by the states in which a property may be changed. Swift does not import the macros. */
static const GParamFlags SWIFTODT_PARAM_PLAYING = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
static const GParamFlags SWIFTODT_PARAM_CONTROLLABLE =
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
static const GParamFlags SWIFTODT_PARAM_READY = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
static const GParamFlags SWIFTODT_PARAM_READ_ONLY = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

/* The debug category, initialised with the plugin. */
extern GstDebugCategory *swiftodt_debug;

/* Returns whether a level is enabled. If it is not, which is the usual case, the cost is one comparison. */
static inline gboolean
swiftodt_logs (GstDebugLevel level)
{
  return G_UNLIKELY (level <= _gst_debug_min) && level <= gst_debug_category_get_threshold (swiftodt_debug);
}

/* Logs a text at an enabled level. */
void swiftodt_log (gpointer element, GstDebugLevel level, const gchar * file, const gchar * function, gint line,
    const gchar * text);

typedef void *SwiftOdtSession;

/* The element instance. All state is in the session. */
typedef struct
{
  GstBaseTransform parent;
  SwiftOdtSession session;
} GstSwiftOdt;

/* Creates a session. It does not reference `element`, which outlives it. */
SwiftOdtSession swiftodt_session_new (GstBaseTransform * element);
void swiftodt_session_free (SwiftOdtSession session);

void swiftodt_session_set_property (SwiftOdtSession session, guint id, const GValue * value);
void swiftodt_session_get_property (SwiftOdtSession session, guint id, GValue * value);

/* READY to PAUSED: loads the detector. Posts an element error and returns FALSE if that fails. */
gboolean swiftodt_session_start (SwiftOdtSession session);
/* PAUSED to READY: releases the stream after the streaming thread has ended. */
void swiftodt_session_stop (SwiftOdtSession session);
/* Wakes a streaming thread that waits for a detection. Frames are refused until the next start. */
void swiftodt_session_unlock (SwiftOdtSession session);

/* Streaming: posts an element error if the pad template rejects the caps of an event. Called before the event is
 * handled. The caps are borrowed. */
void swiftodt_session_notice_caps (SwiftOdtSession session, GstCaps * caps);
/* Streaming: returns whether the format is supported. */
gboolean swiftodt_session_accepts (SwiftOdtSession session, const GstVideoInfo * info);
/* Streaming: takes ownership of the next frame. */
GstFlowReturn swiftodt_session_submit (SwiftOdtSession session, GstBuffer * buffer);
/* Streaming: returns the next finished frame or the event that follows it, or NULL while the first frame is held.
 * With `drain` it waits for all frames. The caller owns the result. */
GstFlowReturn swiftodt_session_produce (SwiftOdtSession session, gboolean drain, GstMiniObject ** next);
/* Streaming for serialized events; thread-safe for other events and for upstream events. Returns TRUE if the session
 * takes ownership of the event, to return it after the frames before it; otherwise the event is borrowed. */
gboolean swiftodt_session_notice (SwiftOdtSession session, GstEvent * event);

/* Returns the latency that the element adds. `live` is upstream's answer to the latency query. */
GstClockTime swiftodt_session_latency (SwiftOdtSession session, gboolean live);

/* Streaming: returns the maximum number of frames that the element holds. */
guint swiftodt_session_frames_held (SwiftOdtSession session);

/* The handlers of the action signals. */
void swiftodt_session_reset_tracks (SwiftOdtSession session);
void swiftodt_session_detect_now (SwiftOdtSession session);

G_END_DECLS
