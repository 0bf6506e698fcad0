import CGStreamer
import SwiftODT

extension Orientation {
    /// Returns `nil` for the methods "auto" and "custom".
    package init?(_ method: GstVideoOrientationMethod) {
        switch method {
        case GST_VIDEO_ORIENTATION_IDENTITY: self = .identity
        case GST_VIDEO_ORIENTATION_90R: self = .rotate90
        case GST_VIDEO_ORIENTATION_180: self = .rotate180
        case GST_VIDEO_ORIENTATION_90L: self = .rotate270
        case GST_VIDEO_ORIENTATION_HORIZ: self = .flipHorizontal
        case GST_VIDEO_ORIENTATION_VERT: self = .flipVertical
        case GST_VIDEO_ORIENTATION_UL_LR: self = .transpose
        case GST_VIDEO_ORIENTATION_UR_LL: self = .transverse
        default: return nil
        }
    }

    /// The name of the orientation in messages and as a value of the property `orientation`.
    package var nick: String {
        switch self {
        case .identity: "identity"
        case .rotate90: "90r"
        case .rotate180: "180"
        case .rotate270: "90l"
        case .flipHorizontal: "horiz"
        case .flipVertical: "vert"
        case .transpose: "ul-lr"
        case .transverse: "ur-ll"
        }
    }
}
