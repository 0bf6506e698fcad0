import CODTGStreamer
import GstFrames
import SwiftODT

/// The error for caps that the element refuses. It names the reason and an element that converts the frames.
///
/// If pixels are needed, the answers to caps queries contain system memory only. Upstream elements then choose system
/// memory if they can. This error is posted if an upstream element cannot use system memory, or if it sends caps
/// without a query.
enum CapsRefusal {
    /// Returns `nil` for caps that are accepted and for caps that are not raw video.
    ///
    /// - Parameter acceptsDeviceMemory: whether frames may be in any memory, because no pixels are needed.
    static func problem(with caps: UnsafeMutablePointer<GstCaps>, acceptsDeviceMemory: Bool) -> ElementProblem? {
        guard let structure = gst_caps_get_structure(caps, 0),
            String(cString: gst_structure_get_name(structure)) == "video/x-raw"
        else { return nil }
        let detail = "the caps are \(GstText.of(caps))"
        if let feature = foreignFeature(of: caps) {
            guard !acceptsDeviceMemory || CapsNegotiation.deviceMemory(caps) == nil else { return nil }
            return .format(
                "cannot read frames of type \(feature); put \(remedy(for: feature)) before swiftodt", detail: detail)
        }
        // `name` must be a C string that belongs to the caps, not a Swift `String`. `gst_video_format_from_string` has
        // the attribute `const`, so the compiler may assume that the function reads no memory. The compiler may then
        // free a temporary C string before the call.
        guard let name = gst_structure_get_string(structure, "format"),
            PixelFormat(gst_video_format_from_string(name)) == nil
        else { return nil }
        return .format(
            "cannot read frames of the format \(String(cString: name)); put videoconvert before swiftodt",
            detail: detail)
    }

    /// Returns the first caps feature that is neither system memory nor the feature of overlay compositions; `nil` if
    /// there is none.
    private static func foreignFeature(of caps: UnsafeMutablePointer<GstCaps>) -> String? {
        guard let features = gst_caps_get_features(caps, 0), gst_caps_features_is_any(features) == 0 else { return nil }
        return (0..<gst_caps_features_get_size(features)).lazy
            .compactMap { gst_caps_features_get_nth(features, $0).map { String(cString: $0) } }
            .first { $0 != CapsNegotiation.systemMemory && $0 != CapsNegotiation.overlayFeature }
    }

    /// Returns the elements that convert frames with a caps feature into system memory.
    static func remedy(for feature: String) -> String {
        remedies[feature] ?? "an element that downloads frames into system memory"
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
            "a decoder or deinterlacer that outputs both fields in one buffer (interlace-mode=interleaved)",
    ]
}
