/// Decides for each frame of a stream whether it is looked at.
///
/// Every frame in order is either put to ``look(_:in:at:)`` or, where ``mayLook(_:at:)`` says that this needs no asking, passed by
/// with ``pass()``; what is known of objects once a frame is finished is handed in with ``note(_:)``. Nothing here asks for the time of
/// day: the same frames and the same answers, handed in after the same frames, give the same looks.
///
///     var attention = Attention()
///     for frame in frames {
///         let occasion = Attention.Occasion(time: frame.time, isFree: detector.isFree)
///         if let reason = attention.look(occasion, in: plane, at: .auto) { detect(frame, because: reason) }
///         attention.note(scene.outlook())
///     }
public struct Attention: Sendable {
    /// How often is looked.
    public enum Pace: Hashable, Sendable {
        /// At each n-th frame.
        case every(Int)
        /// When it pays, see ``AdaptivePace``.
        case auto
    }

    /// Why a frame is looked at; the raw values stand in the debug log and, with `looks-` before them, in `stats`.
    public enum Reason: String, CaseIterable, Sendable {
        /// Somebody asked for it in any case.
        case asked
        /// It is the n-th since the last one.
        case interval
        /// Nothing has been seen yet, or nothing that this picture can be compared with.
        case start
        /// The picture is another one all over: a cut, or a camera that moves.
        case scene
        /// An object has been seen, but not often enough to be told of.
        case newcomer
        /// An object was not where it was expected, or not seen there.
        case missed
        /// Something moves that no known object explains.
        case motion
        /// The same, where it has been looked at in vain before.
        case restless
        /// Boxes have been carried as far as it has gone well with them so far.
        case drift
        /// A box that was carried shows something else than it did.
        case doubt
        /// It has not been looked for long.
        case quiet

        /// Whether somebody or something asks for an answer: no occasion to look around.
        var isQuestion: Bool {
            switch self {
            case .newcomer, .missed, .motion, .restless, .drift, .doubt: true
            case .asked, .interval, .start, .scene, .quiet: false
            }
        }
    }

    /// A frame that may be looked at.
    public struct Occasion: Sendable {
        /// Running time.
        public var time: Nanoseconds
        /// Whether there is somebody who can look now.
        public var isFree: Bool
        /// Whether it is to be looked at in any case.
        public var isAsked: Bool

        public init(time: Nanoseconds, isFree: Bool, isAsked: Bool = false) {
            (self.time, self.isFree, self.isAsked) = (time, isFree, isAsked)
        }
    }

    private var framesSinceLook = Int.max
    private var adaptive = AdaptivePace()

    public init() {}

    /// Whether a frame may turn out to be looked at: spares those that surely are not from being mapped for it.
    public func mayLook(_ occasion: Occasion, at pace: Pace) -> Bool {
        guard occasion.isFree else { return false }
        return switch pace {
        case .every(let interval): occasion.isAsked || framesSinceLook >= interval - 1
        case .auto: true
        }
    }

    /// Whether a frame is looked at, and why; counts as looked at then.
    ///
    /// - Parameter plane: its small grey copy; where ``Pace/auto`` has none, it is looked at.
    public mutating func look(_ occasion: Occasion, in plane: LumaPlane?, at pace: Pace) -> Reason? {
        var occasion = occasion
        occasion.time = occasion.time.reckonable
        adaptive.noteFrame(at: occasion.time)
        guard mayLook(occasion, at: pace), let reason = reason(occasion, in: plane, at: pace) else {
            pass()
            return nil
        }
        framesSinceLook = 0
        if pace == .auto { adaptive.noteLook(at: occasion.time, in: plane) } else { adaptive = AdaptivePace() }
        return reason
    }

    private mutating func reason(_ occasion: Occasion, in plane: LumaPlane?, at pace: Pace) -> Reason? {
        if occasion.isAsked { return .asked }
        return pace == .auto ? adaptive.reason(at: occasion.time, in: plane) : .interval
    }

    /// Whether the next frame is going to be looked at whatever this look shows, as far as can be told: its answer need not be waited for
    /// before ``look(_:in:at:)`` is asked again.
    public var isSureOfNext: Bool { adaptive.isSureOfNext }

    /// A frame goes by that is not looked at.
    public mutating func pass() { framesSinceLook = min(framesSinceLook, Int.max - 1) + 1 }

    /// A frame is finished.
    ///
    /// - Parameter outlook: what is known of its objects; ``Pace/auto`` wants it after every frame.
    public mutating func note(_ outlook: Outlook?) { adaptive.note(outlook) }

    /// Another time begins: the next frame is looked at.
    public mutating func reset() { self = Attention() }
}
