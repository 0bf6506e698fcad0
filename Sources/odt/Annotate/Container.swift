/// What kind of file the annotated video becomes, by its ending.
struct Container: Sendable {
    let endings: [String]
    /// The muxer that writes it.
    let muxer: String
    /// What encodes sound that it cannot take as it is.
    let soundEncoder: String
    /// What its video is encoded as.
    let codec: VideoEncoder.Codec

    // Written in fragments of half a second, which play as far as they got; a proper end makes an ordinary file of them.
    private static let fragments = "fragment-duration=500 fragment-mode=first-moov-then-finalise"
    private static let aac = "audioconvert ! audioresample ! avenc_aac bitrate=192000 ! aacparse"

    static let all = [
        Container(endings: [".mp4", ".m4v"], muxer: "mp4mux \(fragments)", soundEncoder: aac, codec: .h264),
        Container(endings: [".mov"], muxer: "qtmux \(fragments)", soundEncoder: aac, codec: .h264),
        Container(endings: [".mkv"], muxer: "matroskamux", soundEncoder: aac, codec: .h264),
        Container(
            endings: [".webm"], muxer: "webmmux",
            soundEncoder: "audioconvert ! audioresample ! opusenc bitrate=128000", codec: .vp9),
    ]

    static let endings = all.flatMap(\.endings)

    /// `nil` where no container has this ending.
    static func named(_ ending: String) -> Container? {
        all.first { $0.endings.contains(ending.lowercased()) }
    }
}
