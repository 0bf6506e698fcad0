import CPango
import Synchronization

/// The fonts of this process, as Pango knows them: one map for all elements, for as long as the process lives.
///
/// Pango wants a font map, and all that came of it, used by one thread at a time. So whoever sets or draws text takes turns; it
/// is short, and new labels alone do. One of its own for each element would look through all fonts again, and for each thread,
/// which is what Pango has by default, again after each start of a stream.
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
