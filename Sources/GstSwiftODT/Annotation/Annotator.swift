import SwiftODT

/// Draws objects into a frame, in the frame's own format and in place.
///
/// Not safe to use from two threads at once: it belongs to the streaming thread.
final class Annotator {
    init() {}

    /// Whether ``draw(_:options:into:interlaced:)`` would change anything, so that a buffer is made writable and
    /// mapped for writing only then.
    func needsDrawing(
        _ objects: [AnnotatedObject], options: AnnotatorOptions, width: Int, height: Int, time: Nanoseconds
    ) -> Bool {
        let picture = Box(x: 0, y: 0, width: Double(width), height: Double(height))
        return objects.contains { $0.box.isFinite && !$0.box.intersection(picture).isEmpty }
    }

    /// Draws the objects. Where there is nothing to draw not one byte is touched.
    ///
    /// - Parameters:
    ///   - frame: mapped for writing. Its orientation turns labels upright, its pixel aspect ratio keeps them and
    ///     the lines in shape, its time moves the traces.
    ///   - interlaced: whether two fields are woven into the picture, which decides the rows that share chroma.
    func draw(
        _ objects: [AnnotatedObject], options: AnnotatorOptions, into frame: Frame, interlaced: Bool = false
    ) {}

    /// Starts a new epoch: traces, places of labels and cached tiles are forgotten.
    func reset() {}
}
