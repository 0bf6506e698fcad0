import CODTGStreamer
import GstFrames
import SwiftODT

/// Computes which caps one pad can have, given the caps of the other pad.
///
/// Frames in system memory must have a format that the element reads. Frames in other memory (a caps feature such as
/// `memory:VAMemory`) pass only if no pixels are needed. If overlays may be attached, the output may additionally have
/// the caps feature of overlay compositions.
struct CapsNegotiation {
    typealias Caps = UnsafeMutablePointer<GstCaps>

    let mayAttachOverlay: Bool
    let acceptsDeviceMemory: Bool
    /// If `true`, frames in device memory are accepted only if a downstream element accepts overlays. The reason is
    /// that swiftodt cannot draw into device memory.
    let requiresOverlayOnDevice: Bool

    static let overlayFeature = "meta:GstVideoOverlayComposition"
    static let systemMemory = "memory:SystemMemory"

    /// All formats that the element reads, in system memory, with and without overlays. The caps are constant and never
    /// freed. The flag `MAY_BE_LEAKED` excludes them from the report of GStreamer's leak tracer.
    private nonisolated(unsafe) static let readable: Caps = {
        let formats = PixelFormat.names.joined(separator: ", ")
        let caps: Caps = gst_caps_from_string(
            "video/x-raw, format = { \(formats) }; "
                + "video/x-raw(\(systemMemory), \(overlayFeature)), format = { \(formats) }")
        caps.pointee.mini_object.flags |= GST_MINI_OBJECT_FLAG_MAY_BE_LEAKED.rawValue
        return caps
    }()

    /// Returns the possible output caps for input caps. Caps with overlays precede the same caps without overlays. The
    /// caller owns the result.
    func output(for input: Caps) -> Caps {
        let accepted = accepted(input)
        defer { gst_caps_unref(accepted) }
        let output = gst_caps_new_empty()!
        Self.forEach(accepted) { structure, features in
            if mayAttachOverlay, let with = Self.addingOverlay(to: features) {
                gst_caps_append_structure_full(output, gst_structure_copy(structure), with)
            }
            gst_caps_append_structure_full(output, gst_structure_copy(structure), gst_caps_features_copy(features))
        }
        return output
    }

    /// The caller owns the result.
    func input(for output: Caps) -> Caps {
        let input = gst_caps_new_empty()!
        Self.forEach(output) { structure, features in
            let hasOverlay = Self.hasOverlay(features)
            if hasOverlay, mayAttachOverlay {
                let without = gst_caps_features_copy(features)!
                gst_caps_features_remove(without, Self.overlayFeature)
                gst_caps_append_structure_full(input, gst_structure_copy(structure), without)
            }
            if !hasOverlay, requiresOverlayOnDevice, gst_caps_features_is_any(features) == 0, Self.isDevice(features) {
                return
            }
            gst_caps_append_structure_full(input, gst_structure_copy(structure), gst_caps_features_copy(features))
        }
        defer { gst_caps_unref(input) }
        return accepted(input)
    }

    /// Returns the part of `caps` that the element accepts: readable formats in system memory and, if
    /// ``acceptsDeviceMemory`` is `true`, all formats in device memory. The caller owns the result.
    private func accepted(_ caps: Caps) -> Caps {
        let accepted = gst_caps_intersect_full(caps, Self.readable, GST_CAPS_INTERSECT_FIRST)!
        guard acceptsDeviceMemory else { return accepted }
        Self.forEach(caps) { structure, features in
            guard Self.isDevice(features) else { return }
            gst_caps_append_structure_full(accepted, gst_structure_copy(structure), gst_caps_features_copy(features))
        }
        return accepted
    }

    /// Returns the first structure of `output` that has the overlay feature. Returns `output` if overlays may not be
    /// attached or no structure has the feature. Takes ownership of `output`; the caller owns the result.
    func preferred(_ output: Caps) -> Caps {
        guard mayAttachOverlay,
            let place = (0..<gst_caps_get_size(output)).first(where: {
                gst_caps_get_features(output, $0).map(Self.hasOverlay) ?? false
            })
        else { return output }
        defer { gst_caps_unref(output) }
        return gst_caps_copy_nth(output, place)
    }

    // MARK: Features

    /// Returns the caps feature of the frames' memory; `nil` for system memory and for the caps features `ANY`.
    static func deviceMemory(_ caps: Caps) -> String? {
        gst_caps_get_features(caps, 0).flatMap { features in
            gst_caps_features_is_any(features) != 0 ? nil : Self.memories(features).first { $0 != systemMemory }
        }
    }

    static func hasOverlay(_ caps: Caps) -> Bool {
        gst_caps_get_features(caps, 0).map(hasOverlay) ?? false
    }

    /// Returns whether the features name overlay compositions. `ANY` does not count: it matches every feature, but does
    /// not state that an element supports overlays.
    private static func hasOverlay(_ features: OpaquePointer) -> Bool {
        gst_caps_features_is_any(features) == 0 && gst_caps_features_contains(features, overlayFeature) != 0
    }

    /// The caller owns the result.
    static func withoutOverlay(_ caps: Caps) -> Caps {
        let copy = gst_caps_copy(caps)!
        gst_caps_features_remove(gst_caps_get_features(copy, 0), overlayFeature)
        return copy
    }

    private static func addingOverlay(to features: OpaquePointer) -> OpaquePointer? {
        guard gst_caps_features_is_any(features) == 0, gst_caps_features_contains(features, overlayFeature) == 0,
            let copy = gst_caps_features_copy(features)
        else { return nil }
        // Empty caps features imply system memory. As soon as there is another feature, system memory must be named.
        if memories(copy).isEmpty { gst_caps_features_add(copy, systemMemory) }
        gst_caps_features_add(copy, overlayFeature)
        return copy
    }

    /// Returns whether the features name or allow a memory other than system memory.
    private static func isDevice(_ features: OpaquePointer) -> Bool {
        gst_caps_features_is_any(features) != 0 || memories(features).contains { $0 != systemMemory }
    }

    private static func memories(_ features: OpaquePointer) -> [String] {
        (0..<gst_caps_features_get_size(features))
            .compactMap { gst_caps_features_get_nth(features, $0).map { String(cString: $0) } }
            .filter { $0.hasPrefix("memory:") }
    }

    private static func forEach(
        _ caps: Caps, _ body: (UnsafeMutablePointer<GstStructure>, OpaquePointer) -> Void
    ) {
        for place in 0..<gst_caps_get_size(caps) {
            if let structure = gst_caps_get_structure(caps, place), let features = gst_caps_get_features(caps, place) {
                body(structure, features)
            }
        }
    }
}
