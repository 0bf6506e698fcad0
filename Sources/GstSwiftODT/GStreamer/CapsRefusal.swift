import CGStreamer
import SwiftODT

/// Why caps cannot be taken, and the element that makes of them what can.
///
/// Frames have to lie in memory that the processor reads and writes. That is all the pad templates name, so elements that
/// can give such frames do; this is for those that cannot or do not ask.
struct CapsRefusal {
    let problem: ElementProblem

    /// `nil` for caps that the pad templates let in, or that are no raw video.
    init?(_ caps: UnsafeMutablePointer<GstCaps>) {
        guard let structure = gst_caps_get_structure(caps, 0),
            String(cString: gst_structure_get_name(structure)) == "video/x-raw"
        else { return nil }
        let detail = gst_caps_to_string(caps).map { text in
            defer { g_free(text) }
            return "the caps are " + String(cString: text)
        }
        if let feature = CapsRefusal.foreignFeature(of: caps) {
            let remedy = CapsRefusal.remedies[feature] ?? "the element that brings it into system memory"
            problem = .format(
                "the frames come as \(feature), which swiftodt cannot read; put \(remedy) before it", detail: detail)
        } else if let name = gst_structure_get_string(structure, "format"),
            // The caps' own memory: its header calls the function constant, so a copy that Swift makes for it is freed before the call.
            PixelFormat(gst_video_format_from_string(name)) == nil
        {
            problem = .format(
                "the frames are \(String(cString: name)), which swiftodt does not read; put videoconvert before it",
                detail: detail)
        } else {
            return nil
        }
    }

    /// The first feature other than being in the processor's memory.
    private static func foreignFeature(of caps: UnsafeMutablePointer<GstCaps>) -> String? {
        guard let features = gst_caps_get_features(caps, 0), gst_caps_features_is_any(features) == 0 else { return nil }
        return (0..<gst_caps_features_get_size(features)).lazy
            .compactMap { gst_caps_features_get_nth(features, $0).map { String(cString: $0) } }
            .first { $0 != "memory:SystemMemory" }
    }

    private static let remedies = [
        "memory:VAMemory": "vapostproc ! video/x-raw,format=NV12",
        "memory:VASurface": "vaapipostproc ! video/x-raw,format=NV12",
        "memory:DMABuf": "vapostproc ! video/x-raw,format=NV12 (on boards without VA v4l2convert ! video/x-raw)",
        "memory:GLMemory": "gldownload",
        "memory:CUDAMemory": "cudadownload",
        "memory:NVMM": "nvvidconv ! video/x-raw,format=NV12 (nvvideoconvert in DeepStream)",
        "memory:D3D11Memory": "d3d11download",
        "memory:D3D12Memory": "d3d12download",
        "memory:VulkanImage": "vulkandownload",
        "memory:MFXSurface": "msdkvpp ! video/x-raw,format=NV12",
        "format:Interlaced":
            "a decoder or deinterlacer that gives both fields in one buffer (interlace-mode=interleaved)",
        "meta:GstVideoOverlayComposition": "overlaycomposition",
    ]
}
