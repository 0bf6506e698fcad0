import CPango
import Synchronization

/// Pango's font map, shared by all elements for the life of the process.
///
/// Pango requires that one thread at a time uses a font map and all objects created from it, so typesetting and text
/// drawing take a lock. The lock is held briefly, and only for new labels. A font map per element would scan all fonts
/// again for each element; a font map per thread, Pango's default, would scan them again at each start of a stream.
enum FontMap {
    private static let turn = Mutex(())
    private nonisolated(unsafe) static let fonts = pango_cairo_font_map_new()

    static func withLock<Answer>(_ body: (UnsafeMutablePointer<PangoFontMap>?) -> Answer) -> Answer {
        turn.withLock { _ in
            nonisolated(unsafe) let answer = body(fonts)
            return answer
        }
    }
}
