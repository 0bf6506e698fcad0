import CODTGStreamer
import ODTPlayback
import SwiftODT

struct VideoFrame {
    /// The number of the frame, starting at 1.
    private let number: Int
    private let buffer: HeldBuffer
    private let format: GstVideoInfo

    /// Returns a frame, turned upright, as a JPEG file. If the video has fewer than `number` frames, returns the last
    /// one. Returns `nil` if a signal ends the stream before the frame.
    ///
    /// - Parameters:
    ///   - number: The number of the frame, starting at 1.
    ///   - orientation: The nick of an orientation; `nil` for that of the video's tag.
    static func jpeg(of video: String, number: Int, orientation: String? = nil) throws -> [UInt8]? {
        try PluginSearch.startGStreamer()
        _ = TerminationHandler.shared
        let source = try MediaSource(video)
        let pipeline = try Pipeline(
            "\(source.description) videoconvert name=video ! videoflip video-direction=\(orientation ?? "auto") "
                + "! fakesink name=seen sync=false")
        source.setAddress(in: pipeline)
        guard let decoded = pipeline["video"].pad("sink"), let upright = pipeline["seen"].pad("sink") else {
            throw PlaybackError("the pipeline has no entry or exit pad")
        }
        let newest = Monitor<VideoFrame?>(nil)
        var configuration = Player.Configuration()
        configuration.hasBegun = { newest.read { $0 != nil } }
        configuration.end = { decoded.endStream() }
        let notify: @Sendable (String) -> Void = { printError("odt zones: \($0)") }
        let linker = StreamLinker(videoOf: pipeline, notify: notify)
        let player = Player(pipeline, configuration, notify: notify)
        // Pads retain their probes' closures, so the closures hold only weak references to the pads.
        upright.observeBuffers { [weak upright, weak player] buffer in
            guard let format = upright?.format else { return }
            let count = newest.update { frame in
                let count = (frame?.number ?? 0) + 1
                if count <= number { frame = VideoFrame(number: count, buffer: HeldBuffer(buffer), format: format) }
                return count
            }
            if count == number { player?.askToEnd() }
        }
        var ending = withExtendedLifetime((upright, linker)) { player.play { _ in } }
        player.stop()
        source.explain(&ending)
        let frame = newest.read { $0 }
        if ending.signal != nil, frame?.number != number { return nil }
        guard let frame else {
            throw PlaybackError(
                ending.failure.map { AddressParts.discreet($0, of: video) }
                    ?? "\(source.addressWithoutPassword) contains no frame", ending.reason ?? .invalidFile)
        }
        let (width, height) = (Int(frame.format.width), Int(frame.format.height))
        let picture = ColorPicture(frame.buffer.pointer, frame.format, x: 0, y: 0, width: width, height: height)
        guard let jpeg = picture?.jpeg() else {
            throw PlaybackError("cannot convert a frame of \(source.addressWithoutPassword) to a picture")
        }
        return jpeg
    }
}
