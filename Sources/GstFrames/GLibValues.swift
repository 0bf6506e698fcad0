import CODTGStreamer
import SwiftODT

/// The GStreamer error codes that stand for the reasons of errors.
package enum ErrorCode {
    package static let all: [(reason: ODTError.Reason, domain: GQuark, code: Int32)] = [
        (.fileNotFound, gst_resource_error_quark(), Int32(GST_RESOURCE_ERROR_NOT_FOUND.rawValue)),
        (.invalidFile, gst_resource_error_quark(), Int32(GST_RESOURCE_ERROR_READ.rawValue)),
        (.unsupported, gst_resource_error_quark(), Int32(GST_RESOURCE_ERROR_SETTINGS.rawValue)),
        (.tooManyOpenFiles, gst_resource_error_quark(), Int32(GST_RESOURCE_ERROR_OPEN_READ.rawValue)),
        (.outOfResources, gst_resource_error_quark(), Int32(GST_RESOURCE_ERROR_NO_SPACE_LEFT.rawValue)),
        (.runtimeMissing, gst_library_error_quark(), Int32(GST_LIBRARY_ERROR_INIT.rawValue)),
        (.invalidOption, gst_library_error_quark(), Int32(GST_LIBRARY_ERROR_SETTINGS.rawValue)),
        (.redactionNotGuaranteed, gst_library_error_quark(), Int32(GST_LIBRARY_ERROR_FAILED.rawValue)),
    ]

    /// Returns `nil` for a reason without an own code.
    package static func of(_ reason: ODTError.Reason?) -> (domain: GQuark, code: Int32)? {
        all.first { $0.reason == reason }.map { ($0.domain, $0.code) }
    }
}

/// The values of GLib's macros for fundamental types (`G_TYPE_...`), which Swift does not import.
package enum FundamentalType {
    package static let boolean = GType(5 << 2)
    package static let int = GType(6 << 2)
    package static let uint = GType(7 << 2)
    package static let int64 = GType(10 << 2)
    package static let uint64 = GType(11 << 2)
    package static let enumeration = GType(12 << 2)
    package static let double = GType(15 << 2)
    package static let string = GType(16 << 2)
    package static let boxed = GType(18 << 2)
}

extension String {
    /// Copies and frees a text that GLib has allocated. Returns `nil` if there is no text.
    package init?(freeing text: UnsafeMutablePointer<CChar>?) {
        guard let text else { return nil }
        defer { g_free(text) }
        self.init(cString: text)
    }
}
