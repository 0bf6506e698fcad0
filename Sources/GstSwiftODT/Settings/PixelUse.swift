import GstFrames
import SwiftODT

/// The settings that decide whether the element needs the pixels of frames. If it does, frames must be in system
/// memory.
extension Settings {
    enum DrawMode: Sendable { case blend, overlay, auto }

    /// The first setting that needs pixels for something other than drawing, as NAME=VALUE or NAME; `nil` if none does.
    /// Tracking does not count, because the tracker also works without pixels.
    var settingThatNeedsPixels: String? {
        if ![.upstream, .tensors, .recorded].contains(detector) { return "detector=\(detector)" }
        if annotator.boxStyle.redaction != nil { return "box-style=\(annotator.boxStyle)" }
        if !annotator.privacyLabels.isEmpty { return "privacy-labels" }
        if scene.classify { return "classify=true" }
        if scene.reidentifies { return "reidentify=true" }
        return scene.unknownObjects == .none ? nil : "unknown-objects=\(scene.unknownObjects)"
    }

    var acceptsDeviceMemory: Bool { settingThatNeedsPixels == nil && !(draw && drawMode == .blend) }

    var neverWritesBuffers: Bool { !draw && attachMeta.isEmpty }
}

extension CapsNegotiation {
    init(_ settings: Settings) {
        self.init(
            mayAttachOverlay: settings.draw && settings.drawMode != .blend,
            acceptsDeviceMemory: settings.acceptsDeviceMemory,
            requiresOverlayOnDevice: settings.draw && settings.drawMode == .auto)
    }
}

extension StreamFormat {
    /// Throws an error with the remedy if a frame is in device memory but its pixels are needed. This happens if a
    /// property has changed since the caps were negotiated.
    func checkMemory(_ settings: Settings) throws {
        guard let deviceMemory, let reader = settings.settingThatNeedsPixels else { return }
        throw ODTError(
            .unsupported,
            "\(reader) needs frames in system memory, but they are of type \(deviceMemory); put "
                + "\(CapsRefusal.remedy(for: deviceMemory)) before swiftodt, or change the property")
    }
}
