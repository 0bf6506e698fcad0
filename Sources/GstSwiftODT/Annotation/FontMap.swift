import CPango
import Synchronization

/// The fonts of this process, as Pango knows them: one map for all elements, for as long as the process lives.
///
/// Pango wants a font map, and all that came of it, used by one thread at a time. So whoever sets or draws text takes turns; it
/// is short, and new labels alone do. One of its own for each element would look through all fonts again, and for each thread,
/// which is what Pango has by default, again after each start of a stream.
enum FontMap {
    /// How many fonts have been looked for since Pango forgot those before.
    private static let lookups = Mutex(0)
    private nonisolated(unsafe) static let fonts = pango_cairo_font_map_new()
    /// Pango keeps some kilobytes of each font that it was ever asked for. It finds one again in a moment, so that it may forget them all
    /// now and then.
    private static let mostLookups = 200

    static func withLock<Answer>(_ body: (UnsafeMutablePointer<PangoFontMap>?) -> Answer) -> Answer {
        lookups.withLock { _ in
            nonisolated(unsafe) let answer = body(fonts)
            return answer
        }
    }

    /// The same for who looks for a font that may be a new one each time.
    static func withLockForLookup<Answer>(_ body: (UnsafeMutablePointer<PangoFontMap>?) -> Answer) -> Answer {
        lookups.withLock { lookups in
            nonisolated(unsafe) let answer = body(fonts)
            lookups += 1
            if lookups >= mostLookups {
                lookups = 0
                pango_fc_font_map_cache_clear(OpaquePointer(fonts))
            }
            return answer
        }
    }
}
