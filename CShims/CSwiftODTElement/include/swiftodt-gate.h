/* The interface between the C element swiftodtgate and its Swift implementation in
 * Sources/GstSwiftODT/Gate/GateBridge.swift. A session is an opaque pointer to the Swift object of one element. It
 * exists from the init to the finalize function of the element.
 *
 * While the gate is not open, the session pushes key frames only. It keeps the frames after the latest pushed key
 * frame. These are the kept frames.
 *
 * Functions that are called on the streaming thread are called one at a time, with the stream lock of the sink pad
 * held. All other functions are thread-safe. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef void *SwiftOdtGateSession;

typedef struct
{
  GstElement parent;
  GstPad *sinkpad;
  GstPad *srcpad;
  SwiftOdtGateSession session;
} GstSwiftOdtGate;

GType gst_swift_odt_gate_get_type (void);

void swiftodt_gate_install_properties (GObjectClass * klass);

/* The session holds no reference to `element`, because the element outlives the session. `element` must already have
 * its pads. */
SwiftOdtGateSession swiftodt_gate_session_new (GstSwiftOdtGate * element);
void swiftodt_gate_session_free (SwiftOdtGateSession session);

void swiftodt_gate_session_set_property (SwiftOdtGateSession session, guint id, const GValue * value);
void swiftodt_gate_session_get_property (SwiftOdtGateSession session, guint id, GValue * value);

/* Called for the state change READY to PAUSED, before the pads are activated. Resets the counters. */
void swiftodt_gate_session_start (SwiftOdtGateSession session);
/* Called for the state change PAUSED to READY, after the streaming thread has ended. Drops the kept frames. */
void swiftodt_gate_session_stop (SwiftOdtGateSession session);

/* Called on the streaming thread. Returns whether caps describe parsed access units. Posts an element error if they do
 * not. The caps are borrowed. */
gboolean swiftodt_gate_session_accepts (SwiftOdtGateSession session, GstCaps * caps);
/* Called on the streaming thread. Passes or keeps a frame. Takes ownership of the buffer. */
GstFlowReturn swiftodt_gate_session_push (SwiftOdtGateSession session, GstBuffer * buffer);
/* Called on the streaming thread for each serialized event at the sink pad, before the event is forwarded. Pushes the
 * kept frames if the event must not overtake them. Posts an element error if downstream refuses their
 * caps. The event is borrowed. */
void swiftodt_gate_session_notice (SwiftOdtGateSession session, GstEvent * event);
/* Called on the streaming thread for a drain query, with which upstream waits for the return of its buffers. Pushes
 * the kept frames. Returns FALSE if not all frames were pushed. Posts an element error if downstream refuses their caps. */
gboolean swiftodt_gate_session_drain (SwiftOdtGateSession session);
/* Called for each custom upstream event at the source pad. Handles activity reports from swiftodt. The event is
 * borrowed. */
void swiftodt_gate_session_notice_upstream (SwiftOdtGateSession session, GstEvent * event);

/* The handler of the action signal `open`, which may be emitted on any thread. */
void swiftodt_gate_session_open (SwiftOdtGateSession session);

G_END_DECLS
