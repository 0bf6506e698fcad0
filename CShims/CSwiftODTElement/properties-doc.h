/* Documentation of the properties for hotdoc, written by Tests/plugin-cache from the elements. */
#pragma once

/**
 * GstSwiftOdt:mode:
 *
 * Whether the frames are a video or independent images.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:multiple-objects:
 *
 * Report up to max-objects objects instead of only the most prominent one.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:max-objects:
 *
 * Maximum number of reported objects with multiple-objects=true.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:classify:
 *
 * Classify objects into coarse categories: fashion good, home good, food, place, plant.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:detector:
 *
 * Detection method.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:model-file:
 *
 * Network of detector=neural or salient (.onnx, .tflite, .xml, .pb, .pdmodel). For detector=tensors: the network that made the tensors. Unset: the installed default.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:label-file:
 *
 * Class names of the network, one per line; unset: from the manifest or the model file.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:detections-file:
 *
 * File for detector=recorded: written by record-detections or odt detect, or in MOTChallenge format.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:device:
 *
 * OpenVINO device that runs the networks, for example CPU, GPU or AUTO.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:threads:
 *
 * Number of inference threads; 0: chosen by the runtime.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:share-inference:
 *
 * Take turns for inference with other elements of the process; the most useful inference runs first.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:score-threshold:
 *
 * Minimum score of a detection that starts a track; -1: the model's default.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:iou-threshold:
 *
 * Non-maximum suppression: detections with a higher IoU are merged.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:classifier-file:
 *
 * Classification network for classify=true; unset: the installed default.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:classifier-label-file:
 *
 * Class names of the classifier; unset: from its manifest or model file.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:classification-threshold:
 *
 * Minimum confidence of a category; -1: the model's default.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:label-allowlist:
 *
 * Comma-separated labels or groups (@street); objects with other labels are ignored.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:label-denylist:
 *
 * Comma-separated labels or groups (@street); objects with these labels are ignored.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:label-allowlist-array:
 *
 * label-allowlist as an array of strings.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:label-denylist-array:
 *
 * label-denylist as an array of strings.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:min-area:
 *
 * Minimum area of an object, as a fraction of the frame.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:max-area:
 *
 * Maximum area of an object, as a fraction of the frame.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:unknown-objects:
 *
 * Which objects are reported that the detector cannot classify.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:strategy:
 *
 * Whether frames wait for their detections.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:inference-interval:
 *
 * Run inference on every n-th frame and extrapolate in between; 0: adaptive.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:look-ahead:
 *
 * Maximum inferences in flight with every-frame; 0: chosen by the runtime, 1: no added latency.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:zoom:
 *
 * Inference on magnified regions, to detect small objects.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:tracking:
 *
 * Track objects from frame to frame and assign ids.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:track-max-age:
 *
 * Time after which an undetected track ends, in nanoseconds.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:track-min-hits:
 *
 * Number of detections that confirm a track.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:reidentify:
 *
 * Give an object that returns its earlier tracking id, if it can be recognised.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:reidentify-for:
 *
 * Time for which an object can return, in nanoseconds.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:reidentification-file:
 *
 * Network for reidentify=true; unset: person_reidentification_retail_0248.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:map-memory:
 *
 * Map frames in device memory, so that the tracker can use their pixels.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:orientation:
 *
 * Transformation that turns the frame upright.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw:
 *
 * Draw objects into the frame.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-mode:
 *
 * Where objects are drawn.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-boxes:
 *
 * Draw boxes; false: labels only.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-coasting:
 *
 * Draw coasting tracks (extrapolated without a detection).
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-labels:
 *
 * Draw a label at each box.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-tracking-labels:
 *
 * Show the tracking id in labels.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-confidence:
 *
 * Show confidence and score in labels.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-traces:
 *
 * Draw the path of each track.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-zones:
 *
 * Draw zones and their counts.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:draw-inference-regions:
 *
 * Draw the region of each recent inference.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:trace-duration:
 *
 * Length of traces in nanoseconds.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:color-mode:
 *
 * How colours are assigned to objects.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:box-color:
 *
 * Colour of boxes with color-mode=fixed, as 0xAARRGGBB; default 0xff00e676.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:label-color:
 *
 * Colour of the label text, as 0xAARRGGBB; 0: black or white, whichever has more contrast.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:box-style:
 *
 * How boxes are drawn.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:privacy-labels:
 *
 * Comma-separated labels that box-style=blur and pixelate redact; unset: all detections.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:privacy-labels-array:
 *
 * privacy-labels as an array of strings.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:privacy-strict:
 *
 * Requested redaction that cannot be guaranteed is an error; false: a warning.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:privacy-threshold:
 *
 * Minimum score of a detection that is redacted.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:line-width:
 *
 * Line width of boxes in pixels; 0: from the frame size.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:font:
 *
 * Font family of the labels.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:font-size:
 *
 * Font size of labels in pixels, at most a sixth of the shorter side; 0: from the frame size.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:label-format:
 *
 * Label text; placeholders: {label} {category} {confidence} {score} {id}.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:label-background:
 *
 * Draw a panel behind the label.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:updates:
 *
 * When the element posts a message swiftodt.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:track-events:
 *
 * Post a message swiftodt-track when a track begins, changes its label or category, or ends.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:message-interval:
 *
 * Minimum running time between two messages swiftodt in nanoseconds.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:message-format:
 *
 * Representation of objects in messages.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:attach-meta:
 *
 * Metadata attached to buffers.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:source:
 *
 * Name of the stream, in every message.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:zones:
 *
 * Zones, lines and ignored areas: a JSON file, or JSON text.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:zones-array:
 *
 * zones as an array of structures with the fields of the JSON text.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:record-detections:
 *
 * File for the detections before tracking and filtering, for detector=recorded.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:record-existing:
 *
 * What to do if the file record-detections already exists.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdt:stats:
 *
 * Counters and processing times.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdtGate:mode:
 *
 * Which frames pass.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdtGate:calm-interval:
 *
 * Minimum time between two key frames that pass while the picture is calm, in nanoseconds.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdtGate:hold-time:
 *
 * Minimum time without activity until the gate closes, in nanoseconds.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdtGate:max-bytes:
 *
 * Maximum size of the kept frames in bytes; at the limit the gate opens.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdtGate:max-time:
 *
 * Maximum duration of the kept frames in nanoseconds; at the limit the gate opens.
 *
 * Since: 0.1.0
 */

/**
 * GstSwiftOdtGate:stats:
 *
 * State, reasons to open, and counters.
 *
 * Since: 0.1.0
 */
