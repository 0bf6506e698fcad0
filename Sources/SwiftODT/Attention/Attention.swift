/// Decides for each frame of a stream whether it is looked at.
///
/// Every frame in order is either put to ``look(_:at:)`` or, where ``mayLook(_:at:)`` says that this needs no asking, passed by with
/// ``pass()``. Nothing here asks for the time of day: the same frames give the same looks.
///
///     var attention = Attention()
///     for frame in frames {
///         let occasion = Attention.Occasion(time: frame.time, isFree: detector.isFree)
///         if let reason = attention.look(occasion, at: .every(5)) { detect(frame, because: reason) }
///     }
public struct Attention: Sendable {
    /// How often is looked.
    public enum Pace: Hashable, Sendable {
        /// At each n-th frame.
        case every(Int)
    }

    /// Why a frame is looked at; the raw values stand in the debug log and, with `looks-` before them, in `stats`.
    public enum Reason: String, CaseIterable, Sendable {
        /// Somebody asked for it in any case.
        case asked
        /// It is the n-th since the last one.
        case interval
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

    public init() {}

    /// Whether a frame may turn out to be looked at: spares those that surely are not from being mapped for it.
    public func mayLook(_ occasion: Occasion, at pace: Pace) -> Bool {
        switch pace {
        case .every(let interval): occasion.isFree && (occasion.isAsked || framesSinceLook >= interval - 1)
        }
    }

    /// Whether a frame is looked at, and why; counts as looked at then.
    public mutating func look(_ occasion: Occasion, at pace: Pace) -> Reason? {
        guard mayLook(occasion, at: pace) else {
            pass()
            return nil
        }
        framesSinceLook = 0
        return occasion.isAsked ? .asked : .interval
    }

    /// A frame goes by that is not looked at.
    public mutating func pass() { framesSinceLook = min(framesSinceLook, Int.max - 1) + 1 }

    /// Another time begins: the next frame is looked at.
    public mutating func reset() { self = Attention() }
}
