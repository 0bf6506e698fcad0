import CGStreamer
import CSwiftODTElement
import SwiftODT

/// The element's properties as GObject sees them: a property id and a `GValue` on one side, ``Settings`` on the other.
extension Settings {
    /// Where a property lives, by the type of its `GValue`.
    private enum Place {
        case boolean(WritableKeyPath<Settings, Bool>)
        case count(WritableKeyPath<Settings, Int>)
        case color(WritableKeyPath<Settings, UInt32>)
        case time(WritableKeyPath<Settings, Nanoseconds>)
        case real(WritableKeyPath<Settings, Double>)
        case text(WritableKeyPath<Settings, String>)
        case optionalText(WritableKeyPath<Settings, String?>)
        /// An enumeration or flags, as its number.
        case choice(get: (Settings) -> Int, set: (inout Settings, Int) -> Void, isFlags: Bool = false)

        static func choice<T: RawRepresentable<Int>>(_ path: WritableKeyPath<Settings, T>) -> Place {
            .choice(
                get: { $0[keyPath: path].rawValue },
                set: { settings, number in
                    if let value = T(rawValue: number) { settings[keyPath: path] = value }
                })
        }

        static func flags<T: OptionSet>(_ path: WritableKeyPath<Settings, T>) -> Place where T.RawValue == UInt32 {
            .choice(
                get: { Int($0[keyPath: path].rawValue) },
                set: { $0[keyPath: path] = T(rawValue: UInt32(truncatingIfNeeded: $1)) }, isFlags: true)
        }
    }

    private static func place(of id: UInt32) -> Place? {
        switch SwiftOdtProperty(rawValue: id) {
        case SWIFTODT_PROP_MODE: .choice(\.scene.mode)
        case SWIFTODT_PROP_MULTIPLE_OBJECTS: .boolean(\.scene.multipleObjects)
        case SWIFTODT_PROP_MAX_OBJECTS: .count(\.scene.maxObjects)
        case SWIFTODT_PROP_CLASSIFY: .boolean(\.scene.classify)
        case SWIFTODT_PROP_DETECTOR: .choice(\.detector)
        case SWIFTODT_PROP_MODEL_FILE: .optionalText(\.modelFile)
        case SWIFTODT_PROP_LABEL_FILE: .optionalText(\.labelFile)
        case SWIFTODT_PROP_DEVICE: .text(\.device)
        case SWIFTODT_PROP_THREADS: .count(\.threads)
        case SWIFTODT_PROP_SCORE_THRESHOLD: .real(\.scene.tracker.scoreThreshold)
        case SWIFTODT_PROP_IOU_THRESHOLD: .real(\.iouThreshold)
        case SWIFTODT_PROP_CLASSIFIER_FILE: .optionalText(\.classifierFile)
        case SWIFTODT_PROP_CLASSIFIER_LABEL_FILE: .optionalText(\.classifierLabelFile)
        case SWIFTODT_PROP_CLASSIFICATION_THRESHOLD: .real(\.classificationThreshold)
        case SWIFTODT_PROP_LABEL_ALLOWLIST: .optionalText(\.labelAllowlist)
        case SWIFTODT_PROP_LABEL_DENYLIST: .optionalText(\.labelDenylist)
        case SWIFTODT_PROP_MIN_AREA: .real(\.scene.filter.minArea)
        case SWIFTODT_PROP_MAX_AREA: .real(\.scene.filter.maxArea)
        case SWIFTODT_PROP_STRATEGY: .choice(\.strategy)
        case SWIFTODT_PROP_INFERENCE_INTERVAL: .count(\.inferenceInterval)
        case SWIFTODT_PROP_LOOK_AHEAD: .count(\.lookAhead)
        case SWIFTODT_PROP_TRACKING: .boolean(\.scene.tracking)
        case SWIFTODT_PROP_TRACK_MAX_AGE: .time(\.scene.tracker.maxAge)
        case SWIFTODT_PROP_TRACK_MIN_HITS: .count(\.scene.tracker.minHits)
        case SWIFTODT_PROP_ORIENTATION: orientationPlace
        case SWIFTODT_PROP_DRAW: .boolean(\.draw)
        case SWIFTODT_PROP_DRAW_LABELS: .boolean(\.annotator.drawLabels)
        case SWIFTODT_PROP_DRAW_TRACKING_LABELS: .boolean(\.annotator.drawTrackingLabels)
        case SWIFTODT_PROP_DRAW_CONFIDENCE: .boolean(\.annotator.drawConfidence)
        case SWIFTODT_PROP_DRAW_TRACES: .boolean(\.annotator.drawTraces)
        case SWIFTODT_PROP_TRACE_DURATION: .time(\.annotator.traceDuration)
        case SWIFTODT_PROP_COLOR_MODE: .choice(\.annotator.colorMode)
        case SWIFTODT_PROP_BOX_COLOR: .color(\.annotator.boxColor)
        case SWIFTODT_PROP_LABEL_COLOR: .color(\.annotator.labelColor)
        case SWIFTODT_PROP_BOX_STYLE: .choice(\.annotator.boxStyle)
        case SWIFTODT_PROP_LINE_WIDTH: .real(\.annotator.lineWidth)
        case SWIFTODT_PROP_FONT: .text(\.annotator.font)
        case SWIFTODT_PROP_FONT_SIZE: .real(\.annotator.fontSize)
        case SWIFTODT_PROP_LABEL_FORMAT: .text(\.annotator.labelFormat)
        case SWIFTODT_PROP_LABEL_BACKGROUND: .boolean(\.annotator.labelBackground)
        case SWIFTODT_PROP_UPDATES: .choice(\.updates)
        case SWIFTODT_PROP_TRACK_EVENTS: .boolean(\.trackEvents)
        case SWIFTODT_PROP_MESSAGE_INTERVAL: .time(\.messageInterval)
        case SWIFTODT_PROP_MESSAGE_FORMAT: .flags(\.messageFormat)
        case SWIFTODT_PROP_ATTACH_META: .flags(\.attachMeta)
        case SWIFTODT_PROP_SOURCE: .optionalText(\.source)
        default: nil
        }
    }

    /// The nicks count auto first, then the eight cases in ``Orientation``'s order.
    private static var orientationPlace: Place {
        .choice(
            get: { $0.orientation.map { $0.rawValue + 1 } ?? 0 },
            set: { $0.orientation = Orientation(rawValue: $1 - 1) })
    }

    mutating func set(_ id: UInt32, to value: UnsafePointer<GValue>) {
        switch Self.place(of: id) {
        case .boolean(let path): self[keyPath: path] = g_value_get_boolean(value) != 0
        case .count(let path): self[keyPath: path] = Int(g_value_get_uint(value))
        case .color(let path): self[keyPath: path] = g_value_get_uint(value)
        case .time(let path): self[keyPath: path] = Nanoseconds(clamping: g_value_get_uint64(value))
        case .real(let path): self[keyPath: path] = g_value_get_double(value)
        case .text(let path): self[keyPath: path] = Self.text(in: value) ?? Settings()[keyPath: path]
        case .optionalText(let path): self[keyPath: path] = Self.text(in: value)
        case .choice(_, let set, let isFlags):
            set(&self, isFlags ? Int(g_value_get_flags(value)) : Int(g_value_get_enum(value)))
        case nil: break
        }
    }

    func get(_ id: UInt32, into value: UnsafeMutablePointer<GValue>) {
        switch Self.place(of: id) {
        case .boolean(let path): g_value_set_boolean(value, self[keyPath: path] ? 1 : 0)
        case .count(let path): g_value_set_uint(value, UInt32(clamping: self[keyPath: path]))
        case .color(let path): g_value_set_uint(value, self[keyPath: path])
        case .time(let path): g_value_set_uint64(value, guint64(clamping: self[keyPath: path]))
        case .real(let path): g_value_set_double(value, self[keyPath: path])
        case .text(let path): g_value_set_string(value, self[keyPath: path])
        case .optionalText(let path):
            if let text = self[keyPath: path] {
                g_value_set_string(value, text)
            } else {
                g_value_set_string(value, nil)
            }
        case .choice(let get, _, let isFlags):
            if isFlags {
                g_value_set_flags(value, UInt32(clamping: get(self)))
            } else {
                g_value_set_enum(value, Int32(clamping: get(self)))
            }
        case nil: break
        }
    }

    private static func text(in value: UnsafePointer<GValue>) -> String? {
        g_value_get_string(value).map { String(cString: $0) }
    }
}
