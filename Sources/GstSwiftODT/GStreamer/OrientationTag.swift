import CGStreamer
import SwiftODT

/// The orientation requested by `image-orientation` tags. A tag of stream scope takes precedence over a global one.
struct OrientationTag {
    private var ofStream: Orientation?
    private var global: Orientation?
    /// The part of the orientation that upstream has not applied; `nil` until it is determined.
    private var remaining: Orientation?

    var orientation: Orientation { ofStream ?? global ?? .identity }

    /// Returns the orientation of the incoming frames: the tag's orientation minus the part that upstream elements have
    /// applied.
    ///
    /// The upstream elements are examined at the first frame after a new tag or new caps.
    mutating func orientation(at element: ElementHandle) -> Orientation {
        if let remaining { return remaining }
        let turns = element.turnsUpstream(tagged: orientation)
        let left = orientation.following(turns.turn.inverse)
        element.log(
            .info,
            "orientation \(left.nick): the tag is \(orientation.nick)"
                + (turns.rotatingElements.isEmpty
                    ? "" : ", of which \(turns.rotatingElements.joined(separator: " and ")) applied \(turns.turn.nick)")
        )
        remaining = left
        return left
    }

    /// New caps may mean that upstream elements rotate the frames differently.
    mutating func noticeCaps() { remaining = nil }

    mutating func notice(_ tags: UnsafePointer<GstTagList>) {
        var method = GST_VIDEO_ORIENTATION_IDENTITY
        guard gst_video_orientation_from_tag(UnsafeMutablePointer(mutating: tags), &method) != 0,
            let orientation = Orientation(method)
        else { return }
        remaining = nil
        if gst_tag_list_get_scope(tags) == GST_TAG_SCOPE_GLOBAL { global = orientation } else { ofStream = orientation }
    }
}

extension Orientation {
    init?(_ method: GstVideoOrientationMethod) {
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

    /// The name of the orientation in the `orientation` property and in messages.
    var nick: String {
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
