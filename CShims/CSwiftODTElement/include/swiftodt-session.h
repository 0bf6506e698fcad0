/* The interface between the C element swiftodt and its Swift implementation in
 * Sources/GstSwiftODT/Session/SessionBridge.swift. A session is an opaque pointer to the Swift object of one element.
 * It exists from the init to the finalize function of the element.
 *
 * Frames that were submitted and are not pushed yet are held frames. They wait for an inference or for later frames.
 *
 * Functions that are called on the streaming thread are called one at a time, with the stream lock of the sink pad
 * held. All other functions are thread-safe. */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Registers the element in a process that is linked with the plugin statically, such as a test. */
GST_PLUGIN_STATIC_DECLARE (swiftodt);

void swiftodt_install_properties (GObjectClass * klass);

/* The property flags, by the states in which a property may be changed. They are constants, because Swift does not
 * import the macros. */
static const GParamFlags SWIFTODT_PARAM_PLAYING = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;
static const GParamFlags SWIFTODT_PARAM_CONTROLLABLE =
    G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
static const GParamFlags SWIFTODT_PARAM_READY = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;
static const GParamFlags SWIFTODT_PARAM_READ_ONLY = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

/* Initialised when the plugin is loaded. */
extern GstDebugCategory *swiftodt_debug;

/* Usually, the level is disabled and the call costs one comparison. */
static inline gboolean
swiftodt_logs (GstDebugLevel level)
{
  return G_UNLIKELY (level <= _gst_debug_min) && level <= gst_debug_category_get_threshold (swiftodt_debug);
}

/* `level` must be enabled. */
void swiftodt_log (gpointer element, GstDebugLevel level, const gchar * file, const gchar * function, gint line,
    const gchar * text);

typedef void *SwiftOdtSession;

typedef struct
{
  GstBaseTransform parent;
  SwiftOdtSession session;
  /* The input caps of the next frame to push. The sink pad may have later caps, which are queued behind this frame. */
  GstCaps *caps;
} GstSwiftOdt;

/* The session holds no reference to `element`, because the element outlives the session. */
SwiftOdtSession swiftodt_session_new (GstBaseTransform * element);
void swiftodt_session_free (SwiftOdtSession session);

void swiftodt_session_set_property (SwiftOdtSession session, guint id, const GValue * value);
void swiftodt_session_get_property (SwiftOdtSession session, guint id, GValue * value);

/* Called for the state change READY to PAUSED. Loads the detector. If this fails, posts an element error and returns
 * FALSE. */
gboolean swiftodt_session_start (SwiftOdtSession session);
/* Called for the state change PAUSED to READY, after the streaming thread has ended. Releases the state of the
 * stream. */
void swiftodt_session_stop (SwiftOdtSession session);
/* Wakes a streaming thread that waits for a detection. Until the next start, frames are refused. */
void swiftodt_session_unlock (SwiftOdtSession session);

/* Called on the streaming thread for each caps event, before the event is handled. Posts an element error if the
 * element does not accept the caps with its current properties. The caps are borrowed. */
void swiftodt_session_notice_caps (SwiftOdtSession session, GstCaps * caps);
/* Called on the streaming thread. Returns whether the format is supported. The caps are borrowed. */
gboolean swiftodt_session_accepts (SwiftOdtSession session, GstCaps * caps);
/* Returns the caps that are possible at one pad when the opposite pad has `caps`. `direction` is the direction of the
 * pad that has `caps`. `caps` is borrowed; the caller owns the result. */
GstCaps *swiftodt_session_transform_caps (SwiftOdtSession session, GstPadDirection direction, GstCaps * caps);
/* Selects from the possible output caps. If overlays may be attached, returns only the first caps structure with the
 * overlay feature. Returns all caps if overlays may not be attached, or if no structure has the feature. Takes
 * ownership of `caps`; the caller owns the result. */
GstCaps *swiftodt_session_preferred_caps (SwiftOdtSession session, GstCaps * caps);
/* Called on the streaming thread. Decides whether overlays are attached or blended, after downstream has received the
 * caps. */
void swiftodt_session_negotiate_overlay (SwiftOdtSession session);
/* Returns whether the element changes neither the pixels nor the metadata of any buffer. */
gboolean swiftodt_session_is_passthrough (SwiftOdtSession session);
/* Called on the streaming thread. Takes ownership of the next frame. */
GstFlowReturn swiftodt_session_submit (SwiftOdtSession session, GstBuffer * buffer);
/* Called on the streaming thread. Removes the next frame or event from the queue, in the order of the stream, and
 * stores it in `next`. Stores NULL if the queue is empty, or if its next frame is not finished. If `drain` is TRUE,
 * waits for this frame instead. The caller owns the result. */
GstFlowReturn swiftodt_session_produce (SwiftOdtSession session, gboolean drain, GstMiniObject ** next);
/* Called on the streaming thread. Returns whether the next item in the queue is a frame. Returns FALSE if it is an event
 * or the queue is empty. */
gboolean swiftodt_session_is_frame_next (SwiftOdtSession session);
/* Called on the streaming thread. Returns whether a caps event is queued. The sink pad then has later caps than the
 * source pad. */
gboolean swiftodt_session_has_queued_caps (SwiftOdtSession session);
/* Called on the streaming thread after downstream has refused a frame, or the caps of the next frames. Drops the frames up
 * to the next caps event, unless `is_end` is TRUE because downstream has returned EOS. */
void swiftodt_session_drop_refused (SwiftOdtSession session, gboolean is_end);
/* Called on the streaming thread with the flow of frames that were pushed because of an event or query. Returns
 * whether the flow is OK. Posts an element error if downstream has refused the caps, as the flow cannot be returned to
 * upstream. */
gboolean swiftodt_session_check_flow (SwiftOdtSession session, GstFlowReturn flow);
/* Called for each event at the sink pad and for seek events at the source pad. Serialized events come from the
 * streaming thread, with the stream lock held. Other events may come from any thread.
 *
 * Returns TRUE if the session queues the event behind held frames. The session then takes ownership of the event, and
 * swiftodt_session_produce returns the event after these frames. Returns FALSE if the caller keeps the ownership and
 * has to handle the event. */
gboolean swiftodt_session_notice (SwiftOdtSession session, GstEvent * event);

/* Takes ownership of an event and returns the event to forward, which the caller owns. If redaction is requested, the
 * tags, table of contents or streams in the returned event have no binary tags, such as pictures. */
GstEvent *swiftodt_session_filter_event (SwiftOdtSession session, GstEvent * event);

/* Returns the latency that the element adds. `live` states whether the source is live, according to the latency
 * query. */
GstClockTime swiftodt_session_latency (SwiftOdtSession session, gboolean live);

/* Called on the streaming thread. Returns the maximum number of held frames. */
guint swiftodt_session_frames_held (SwiftOdtSession session);

/* The handlers of the action signals, which may be emitted on any thread. */
void swiftodt_session_reset_tracks (SwiftOdtSession session);
void swiftodt_session_detect_now (SwiftOdtSession session);

G_END_DECLS
