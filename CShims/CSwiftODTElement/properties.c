/* The property table: names, ranges, defaults, flags and what they mean to a stranger. */
#include "include/swiftodt-session.h"

#define ENUM_TYPE(function, type_name, ...)                        \
  static GType function (void)                                     \
  {                                                                \
    static gsize type = 0;                                         \
    static const GEnumValue values[] = { __VA_ARGS__, { 0 } };     \
    if (g_once_init_enter (&type))                                 \
      g_once_init_leave (&type, g_enum_register_static (type_name, values)); \
    return (GType) type;                                           \
  }

#define FLAGS_TYPE(function, type_name, ...)                       \
  static GType function (void)                                     \
  {                                                                \
    static gsize type = 0;                                         \
    static const GFlagsValue values[] = { __VA_ARGS__, { 0 } };    \
    if (g_once_init_enter (&type))                                 \
      g_once_init_leave (&type, g_flags_register_static (type_name, values)); \
    return (GType) type;                                           \
  }

ENUM_TYPE (mode_type, "SwiftOdtMode",
    { SWIFTODT_MODE_STREAM, "Video: low latency, tracking ids", "stream" },
    { SWIFTODT_MODE_SINGLE_IMAGE, "Each picture alone, complete, without tracking ids", "single-image" })
ENUM_TYPE (detector_type, "SwiftOdtDetector",
    { SWIFTODT_DETECTOR_AUTO, "neural where its runtime and model are there, else motion", "auto" },
    { SWIFTODT_DETECTOR_NEURAL, "A detection network, through OpenVINO", "neural" },
    { SWIFTODT_DETECTOR_SALIENT, "The thing in the picture, whatever it is, through OpenVINO", "salient" },
    { SWIFTODT_DETECTOR_MOTION, "What moves before a fixed camera; needs no model", "motion" },
    { SWIFTODT_DETECTOR_UPSTREAM, "The regions of interest that an element upstream attached", "upstream" })
ENUM_TYPE (strategy_type, "SwiftOdtStrategy",
    { SWIFTODT_STRATEGY_AUTO, "keep-only-latest for live streams, else every-frame", "auto" },
    { SWIFTODT_STRATEGY_KEEP_ONLY_LATEST, "Never wait: detect on the newest frame when free", "keep-only-latest" },
    { SWIFTODT_STRATEGY_EVERY_FRAME, "Wait for each frame's own result", "every-frame" })
ENUM_TYPE (orientation_type, "SwiftOdtOrientation",
    { SWIFTODT_ORIENTATION_AUTO, "As the stream's image-orientation tag says", "auto" },
    { SWIFTODT_ORIENTATION_IDENTITY, "Upright as it is", "identity" },
    { SWIFTODT_ORIENTATION_90R, "Upright after 90 degrees clockwise", "90r" },
    { SWIFTODT_ORIENTATION_180, "Upright after 180 degrees", "180" },
    { SWIFTODT_ORIENTATION_90L, "Upright after 90 degrees counter-clockwise", "90l" },
    { SWIFTODT_ORIENTATION_HORIZ, "Upright after a horizontal flip", "horiz" },
    { SWIFTODT_ORIENTATION_VERT, "Upright after a vertical flip", "vert" },
    { SWIFTODT_ORIENTATION_UL_LR, "Upright after a flip across the upper left/lower right diagonal", "ul-lr" },
    { SWIFTODT_ORIENTATION_UR_LL, "Upright after a flip across the upper right/lower left diagonal", "ur-ll" })
ENUM_TYPE (color_mode_type, "SwiftOdtColorMode",
    { SWIFTODT_COLOR_MODE_TRACKING_ID, "A colour of its own for each track", "tracking-id" },
    { SWIFTODT_COLOR_MODE_CATEGORY, "A colour for each category", "category" },
    { SWIFTODT_COLOR_MODE_FIXED, "box-color for all", "fixed" })
ENUM_TYPE (box_style_type, "SwiftOdtBoxStyle",
    { SWIFTODT_BOX_STYLE_RECTANGLE, "A plain rectangle", "rectangle" },
    { SWIFTODT_BOX_STYLE_ROUNDED, "A rectangle with rounded corners", "rounded" },
    { SWIFTODT_BOX_STYLE_CORNERS, "The corners alone", "corners" },
    { SWIFTODT_BOX_STYLE_FILLED, "A rectangle with a translucent filling", "filled" })
ENUM_TYPE (updates_type, "SwiftOdtUpdates",
    { SWIFTODT_UPDATES_ON_RESULT, "For each frame that a detection ended at", "on-result" },
    { SWIFTODT_UPDATES_EVERY_FRAME, "For every frame", "every-frame" },
    { SWIFTODT_UPDATES_ON_CHANGE, "When objects come, go or change their name or state", "on-change" },
    { SWIFTODT_UPDATES_ON_OBJECT, "For each result with at least one object", "on-object" },
    { SWIFTODT_UPDATES_NONE, "Never: track events alone, where track-events is on", "none" })
FLAGS_TYPE (message_format_type, "SwiftOdtMessageFormat",
    { SWIFTODT_MESSAGE_FORMAT_STRUCTURE, "The objects as a list of structures", "structure" },
    { SWIFTODT_MESSAGE_FORMAT_JSON, "The whole message as JSON text in the field json", "json" })
FLAGS_TYPE (meta_type, "SwiftOdtMetaFlags",
    { SWIFTODT_META_ROI, "GstVideoRegionOfInterestMeta, one an object", "roi" },
    { SWIFTODT_META_CUSTOM, "GstCustomMeta SwiftOdtMeta, which survives conversion, scaling and encoding", "custom" },
    { SWIFTODT_META_ANALYTICS, "GstAnalyticsRelationMeta, with GStreamer 1.24 or newer", "analytics" })

#define LIVE (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define ANIMATED (LIVE | GST_PARAM_CONTROLLABLE)
#define SETUP (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void
add (GObjectClass * klass, SwiftOdtProperty id, GParamSpec * spec)
{
  g_object_class_install_property (klass, id, spec);
}

static void
install_detection (GObjectClass * klass)
{
  add (klass, SWIFTODT_PROP_MODE, g_param_spec_enum ("mode", "Mode",
          "Video with tracking, or each picture alone", mode_type (), SWIFTODT_MODE_STREAM, LIVE));
  add (klass, SWIFTODT_PROP_MULTIPLE_OBJECTS, g_param_spec_boolean ("multiple-objects", "Multiple objects",
          "Report up to max-objects objects instead of the most prominent one alone", FALSE, LIVE));
  add (klass, SWIFTODT_PROP_MAX_OBJECTS, g_param_spec_uint ("max-objects", "Maximum objects",
          "How many objects are reported at most with multiple-objects=true", 1, 100, 5, LIVE));
  add (klass, SWIFTODT_PROP_CLASSIFY, g_param_spec_boolean ("classify", "Classify",
          "Sort objects into coarse categories: fashion good, home good, food, place, plant", FALSE, LIVE));
  add (klass, SWIFTODT_PROP_DETECTOR, g_param_spec_enum ("detector", "Detector",
          "What finds the objects", detector_type (), SWIFTODT_DETECTOR_AUTO, SETUP));
  add (klass, SWIFTODT_PROP_MODEL_FILE, g_param_spec_string ("model-file", "Model file",
          "Network for detector=neural or salient (.onnx, .tflite, .xml, .pb, .pdmodel); unset: the installed default",
          NULL, SETUP));
  add (klass, SWIFTODT_PROP_LABEL_FILE, g_param_spec_string ("label-file", "Label file",
          "Names of the network's classes, one a line; unset: from the manifest or the model itself", NULL, SETUP));
  add (klass, SWIFTODT_PROP_DEVICE, g_param_spec_string ("device", "Device",
          "OpenVINO device that runs the networks, such as CPU, GPU, AUTO", "CPU", SETUP));
  add (klass, SWIFTODT_PROP_THREADS, g_param_spec_uint ("threads", "Threads",
          "Threads for inference; 0: as the runtime sees fit", 0, 1024, 0, SETUP));
  add (klass, SWIFTODT_PROP_SCORE_THRESHOLD, g_param_spec_double ("score-threshold", "Score threshold",
          "Score from which on a detection makes a new object", 0, 1, 0.4, ANIMATED));
  add (klass, SWIFTODT_PROP_IOU_THRESHOLD, g_param_spec_double ("iou-threshold", "Overlap threshold",
          "Detections that overlap more (intersection over union) are one object", 0, 1, 0.5, ANIMATED));
  add (klass, SWIFTODT_PROP_CLASSIFIER_FILE, g_param_spec_string ("classifier-file", "Classifier file",
          "Classification network for classify=true; unset: the installed default", NULL, SETUP));
  add (klass, SWIFTODT_PROP_CLASSIFIER_LABEL_FILE, g_param_spec_string ("classifier-label-file",
          "Classifier label file", "Names of the classifier's classes; unset: from the classifier itself",
          NULL, SETUP));
  add (klass, SWIFTODT_PROP_CLASSIFICATION_THRESHOLD, g_param_spec_double ("classification-threshold",
          "Classification threshold", "Confidence below which the category is unknown; -1: the model's own",
          -1, 1, -1, ANIMATED));
  add (klass, SWIFTODT_PROP_LABEL_ALLOWLIST, g_param_spec_string ("label-allowlist", "Label allowlist",
          "Comma-separated labels; objects of others are ignored", NULL, LIVE));
  add (klass, SWIFTODT_PROP_LABEL_DENYLIST, g_param_spec_string ("label-denylist", "Label denylist",
          "Comma-separated labels; objects of these are ignored", NULL, LIVE));
  add (klass, SWIFTODT_PROP_MIN_AREA, g_param_spec_double ("min-area", "Minimum area",
          "Smallest part of the picture that an object covers", 0, 1, 0, ANIMATED));
  add (klass, SWIFTODT_PROP_MAX_AREA, g_param_spec_double ("max-area", "Maximum area",
          "Largest part of the picture that an object covers", 0, 1, 1, ANIMATED));
  add (klass, SWIFTODT_PROP_ORIENTATION, g_param_spec_enum ("orientation", "Orientation",
          "How the picture is turned to be upright", orientation_type (), SWIFTODT_ORIENTATION_AUTO, LIVE));
}

static void
install_scheduling (GObjectClass * klass)
{
  add (klass, SWIFTODT_PROP_STRATEGY, g_param_spec_enum ("strategy", "Strategy",
          "Whether frames wait for their detection", strategy_type (), SWIFTODT_STRATEGY_AUTO, LIVE));
  add (klass, SWIFTODT_PROP_INFERENCE_INTERVAL, g_param_spec_uint ("inference-interval", "Inference interval",
          "Detect on every n-th frame and carry the boxes in between", 1, G_MAXINT, 1, LIVE));
  add (klass, SWIFTODT_PROP_LOOK_AHEAD, g_param_spec_uint ("look-ahead", "Look-ahead",
          "Detections under way at once with every-frame; 0: as the runtime asks, 1: no frame waits for a later one",
          0, 64, 0, LIVE));
  add (klass, SWIFTODT_PROP_TRACKING, g_param_spec_boolean ("tracking", "Tracking",
          "Follow objects from frame to frame and give them ids", TRUE, LIVE));
  add (klass, SWIFTODT_PROP_TRACK_MAX_AGE, g_param_spec_uint64 ("track-max-age", "Track maximum age",
          "How long an unseen object is carried on, in nanoseconds", 0, G_MAXINT64, GST_SECOND, LIVE));
  add (klass, SWIFTODT_PROP_TRACK_MIN_HITS, g_param_spec_uint ("track-min-hits", "Track minimum hits",
          "How many detections confirm an object before it is reported", 1, 1000, 2, LIVE));
}

static void
install_drawing (GObjectClass * klass)
{
  add (klass, SWIFTODT_PROP_DRAW, g_param_spec_boolean ("draw", "Draw",
          "Draw the objects into the picture", TRUE, ANIMATED));
  add (klass, SWIFTODT_PROP_DRAW_LABELS, g_param_spec_boolean ("draw-labels", "Draw labels",
          "Draw a label at each box", TRUE, ANIMATED));
  add (klass, SWIFTODT_PROP_DRAW_TRACKING_LABELS, g_param_spec_boolean ("draw-tracking-labels",
          "Draw tracking labels", "Let labels show the tracking id", TRUE, ANIMATED));
  add (klass, SWIFTODT_PROP_DRAW_CONFIDENCE, g_param_spec_boolean ("draw-confidence", "Draw confidence",
          "Let labels show the confidence", TRUE, ANIMATED));
  add (klass, SWIFTODT_PROP_DRAW_TRACES, g_param_spec_boolean ("draw-traces", "Draw traces",
          "Draw the way that each object has come", FALSE, ANIMATED));
  add (klass, SWIFTODT_PROP_TRACE_DURATION, g_param_spec_uint64 ("trace-duration", "Trace duration",
          "How far back traces reach, in nanoseconds", 0, 60 * GST_SECOND, 2 * GST_SECOND, LIVE));
  add (klass, SWIFTODT_PROP_COLOR_MODE, g_param_spec_enum ("color-mode", "Color mode",
          "What an object's colour tells", color_mode_type (), SWIFTODT_COLOR_MODE_TRACKING_ID, LIVE));
  add (klass, SWIFTODT_PROP_BOX_COLOR, g_param_spec_uint ("box-color", "Box color",
          "Colour of boxes with color-mode=fixed (ARGB)", 0, G_MAXUINT32, 0xff00e676, ANIMATED));
  add (klass, SWIFTODT_PROP_LABEL_COLOR, g_param_spec_uint ("label-color", "Label color",
          "Colour of the label text (ARGB); 0: black or white, whichever reads better", 0, G_MAXUINT32, 0,
          ANIMATED));
  add (klass, SWIFTODT_PROP_BOX_STYLE, g_param_spec_enum ("box-style", "Box style",
          "How boxes are drawn", box_style_type (), SWIFTODT_BOX_STYLE_RECTANGLE, LIVE));
  add (klass, SWIFTODT_PROP_LINE_WIDTH, g_param_spec_double ("line-width", "Line width",
          "Width of the boxes' lines in pixels; 0: from the size of the picture", 0, 256, 0, ANIMATED));
  add (klass, SWIFTODT_PROP_FONT, g_param_spec_string ("font", "Font",
          "Font family of the labels", "Sans", LIVE));
  add (klass, SWIFTODT_PROP_FONT_SIZE, g_param_spec_double ("font-size", "Font size",
          "Size of the labels' text in pixels; 0: from the size of the picture", 0, 1024, 0, ANIMATED));
  add (klass, SWIFTODT_PROP_LABEL_FORMAT, g_param_spec_string ("label-format", "Label format",
          "Text of the labels; knows {label} {category} {confidence} {score} {id}", "{label} {confidence} #{id}",
          LIVE));
  add (klass, SWIFTODT_PROP_LABEL_BACKGROUND, g_param_spec_boolean ("label-background", "Label background",
          "Draw a panel behind the label", TRUE, ANIMATED));
}

static void
install_reporting (GObjectClass * klass)
{
  add (klass, SWIFTODT_PROP_UPDATES, g_param_spec_enum ("updates", "Updates",
          "When a message swiftodt is posted on the bus", updates_type (), SWIFTODT_UPDATES_ON_RESULT, LIVE));
  add (klass, SWIFTODT_PROP_TRACK_EVENTS, g_param_spec_boolean ("track-events", "Track events",
          "Post a message swiftodt-track where an object begins, gets another label or category, or ends, whatever updates "
          "says", TRUE, LIVE));
  add (klass, SWIFTODT_PROP_MESSAGE_INTERVAL, g_param_spec_uint64 ("message-interval", "Message interval",
          "Shortest time between two messages in nanoseconds of stream time; the newest wins", 0, G_MAXINT64, 0, LIVE));
  add (klass, SWIFTODT_PROP_MESSAGE_FORMAT, g_param_spec_flags ("message-format", "Message format",
          "How messages carry the objects", message_format_type (), SWIFTODT_MESSAGE_FORMAT_STRUCTURE, LIVE));
  add (klass, SWIFTODT_PROP_ATTACH_META, g_param_spec_flags ("attach-meta", "Attach metadata",
          "Which metadata is attached to the buffers", meta_type (), swiftodt_standard_meta (), LIVE));
  add (klass, SWIFTODT_PROP_SOURCE, g_param_spec_string ("source", "Source",
          "A name for the stream, put into every message", NULL, LIVE));
  add (klass, SWIFTODT_PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Counters and the time that each stage takes", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

void
swiftodt_properties_install (GObjectClass * klass)
{
  install_detection (klass);
  install_scheduling (klass);
  install_drawing (klass);
  install_reporting (klass);
  gst_type_mark_as_plugin_api (mode_type (), 0);
  gst_type_mark_as_plugin_api (detector_type (), 0);
  gst_type_mark_as_plugin_api (strategy_type (), 0);
  gst_type_mark_as_plugin_api (orientation_type (), 0);
  gst_type_mark_as_plugin_api (color_mode_type (), 0);
  gst_type_mark_as_plugin_api (box_style_type (), 0);
  gst_type_mark_as_plugin_api (updates_type (), 0);
  gst_type_mark_as_plugin_api (message_format_type (), 0);
  gst_type_mark_as_plugin_api (meta_type (), 0);
}
