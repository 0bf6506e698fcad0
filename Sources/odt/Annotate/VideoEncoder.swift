import Playback

/// What encodes the picture: the machine's own encoder where one really works, else one in software.
struct VideoEncoder: Sendable {
    enum Codec: Sendable { case h264, vp9 }

    let element: String
    private let properties: @Sendable (_ quality: Quality, _ isLive: Bool) -> String

    /// How much of the picture's detail is kept.
    struct Quality: Sendable {
        static let usual = 75
        /// 0 to 100.
        let percent: Int

        /// On the scale of H.264 and its like, where less is better and 23 is usual: from 51 to 11.
        var quantizer: Int { 51 - percent * 2 / 5 }
        /// On VP9's scale, 0 to 63.
        var level: Int { 60 - percent * 3 / 5 }
        /// For encoders that know no other: a megabit a second at 25, four at 75.
        var bitsPerSecond: Int { 500_000 << max(0, min(5, percent / 25)) }
    }

    func description(quality: Quality, isLive: Bool) -> String {
        "\(element) name=encoder \(properties(quality, isLive))"
            + (element.contains("h264") || element == "x264enc" ? " ! h264parse" : "")
    }

    /// What it is fed with: all take one of these.
    var format: String { element == Self.software.element || element == Self.vp9.element ? "I420" : "NV12" }

    // MARK: Choosing

    /// - Parameters:
    ///   - wish: `auto`, `software` or the name of an element.
    /// - Throws: ``PlaybackError`` where the one that is wished for does not work.
    static func choose(_ codec: Codec, wish: String, quality: Quality) throws -> VideoEncoder {
        switch codec {
        case .vp9: return vp9
        case .h264:
            if wish == "software" { return software }
            let candidates = wish == "auto" ? hardware : (hardware + [software]).filter { $0.element == wish }
            for candidate in candidates where Element.isThere(candidate.element) {
                if EncoderProbe.succeeds(candidate.description(quality: quality, isLive: false)) { return candidate }
            }
            guard wish != "auto" else { return software }
            let known = ["auto", "software"] + (hardware + [software]).map(\.element)
            guard !candidates.isEmpty else {
                throw PlaybackError(
                    "'\(wish)' is no encoder: there are \(known.joined(separator: ", "))", isUsage: true)
            }
            throw PlaybackError("\(wish) does not encode on this machine; --encoder software does everywhere")
        }
    }

    static let software = VideoEncoder(element: "x264enc") { quality, isLive in
        // By quality alone: with a buffer its usual rate would be the highest, too.
        "speed-preset=veryfast pass=qual quantizer=\(quality.quantizer) vbv-buf-capacity=0"
            + (isLive ? " tune=zerolatency" : "")
    }

    private static let vp9 = VideoEncoder(element: "vp9enc") { quality, _ in
        "deadline=1 cpu-used=6 row-mt=true threads=8 end-usage=cq cq-level=\(quality.level) target-bitrate=50000000 "
            + "keyframe-max-dist=250"
    }

    private static let hardware = [
        VideoEncoder(element: "vah264enc") { quality, _ in
            let q = quality.quantizer
            return "rate-control=cqp qpi=\(q) qpp=\(q) qpb=\(q)"
        },
        VideoEncoder(element: "nvh264enc") { quality, _ in "rc-mode=constqp qp-const=\(quality.quantizer)" },
        VideoEncoder(element: "qsvh264enc") { quality, _ in
            let q = quality.quantizer
            return "rate-control=cqp qp-i=\(q) qp-p=\(q) qp-b=\(q)"
        },
        VideoEncoder(element: "vaapih264enc") { quality, _ in "rate-control=cqp init-qp=\(quality.quantizer)" },
        VideoEncoder(element: "v4l2h264enc") { quality, _ in
            "extra-controls=\"controls,video_bitrate=\(quality.bitsPerSecond)\" ! video/x-h264,level=(string)4"
        },
    ]
}
