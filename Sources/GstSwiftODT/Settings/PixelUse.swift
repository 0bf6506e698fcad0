import GstFrames
import SwiftODT

/// The settings that decide whether the pixels of frames are needed. If so, frames must be in system memory.
extension Settings {
    enum DrawMode: Sendable { case blend, overlay, auto }

    /// The setting, as NAME=VALUE or NAME, that needs pixels for something other than drawing; `nil` if none does. The
    /// tracker is no such setting: it uses pixels only if they are available.
    var settingThatNeedsPixels: String? {
        if ![.upstream, .tensors, .recorded].contains(detector) { return "detector=\(detector)" }
        if annotator.boxStyle.redaction != nil { return "box-style=\(annotator.boxStyle)" }
        if !annotator.privacyLabels.isEmpty { return "privacy-labels" }
        if scene.classify { return "classify=true" }
        return scene.unknownObjects == .none ? nil : "unknown-objects=\(scene.unknownObjects)"
    }

    /// Whether frames pass in any memory: nothing reads their pixels, and nothing is drawn into them.
    var acceptsDeviceMemory: Bool { settingThatNeedsPixels == nil && !(draw && drawMode == .blend) }

    /// Whether no buffer is ever written to, neither pixels nor metadata.
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
    /// Checks that frames in device memory are not read. Properties may have changed since the caps were negotiated.
    ///
    /// - Throws: ``ODTError`` with the remedy.
    func checkMemory(_ settings: Settings) throws {
        guard let deviceMemory, let reader = settings.settingThatNeedsPixels else { return }
        throw ODTError(
            .unsupported,
            "\(reader) needs frames in system memory, but they are of type \(deviceMemory); put "
                + "\(CapsRefusal.remedy(for: deviceMemory)) before swiftodt, or change the property")
    }
}
