import CGStreamer
import CSwiftODTElement

/// One property of the element: what GObject is told of it, and where ``Settings`` keep its value, which is also its default.
///
/// All that is done with properties follows from their rows in ``Settings/properties``. A value is read and written through
/// its key path, which costs no allocation; frames read none in this way, but a copy of the settings.
struct Property: Sendable {
    typealias Path<Value> = WritableKeyPath<Settings, Value> & Sendable

    /// When it may be changed.
    enum Mutability: Sendable {
        /// At any time, and by a controller from frame to frame.
        case controllable
        /// At any time.
        case playing
        /// At any time, but the element works with what it was started with until it has been in READY.
        case ready
        /// Never: the session tells it.
        case readOnly
    }

    let name: String
    let mutability: Mutability
    /// How it is registered; asked once, when the class is made.
    let makeSpec: @Sendable () -> UnsafeMutablePointer<GParamSpec>
    let set: @Sendable (_ value: UnsafePointer<GValue>, _ settings: inout Settings) -> Void
    let get: @Sendable (_ settings: Settings, _ value: UnsafeMutablePointer<GValue>) -> Void
    let copy: @Sendable (_ from: Settings, _ settings: inout Settings) -> Void
    let isEqual: @Sendable (Settings, Settings) -> Bool
    /// What may be wrong with the value whatever the others are: the sentence that says so.
    let fault: @Sendable (Settings) -> String?

    init<Value: Equatable & Sendable>(
        _ name: String, _ path: Path<Value>, _ kind: PropertyKind<Value>, _ mutability: Mutability, _ nick: String,
        _ blurb: String
    ) {
        self.name = name
        self.mutability = mutability
        let standard = Settings()[keyPath: path]
        makeSpec = { kind.makeSpec(PropertyText(name, nick, blurb, mutability), standard) }
        set = { $1[keyPath: path] = kind.get($0) ?? standard }
        get = { kind.set($1, $0[keyPath: path]) }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        isEqual = { $0[keyPath: path] == $1[keyPath: path] }
        fault = { kind.fault(name, $0[keyPath: path]) }
    }

    /// A structure that is no setting: the session makes it when it is asked for.
    init(structure name: String, _ nick: String, _ blurb: String) {
        self.name = name
        mutability = .readOnly
        makeSpec = {
            let words = PropertyText(name, nick, blurb, .readOnly)
            return g_param_spec_boxed(words.name, words.nick, words.blurb, gst_structure_get_type(), words.flags)
        }
        set = { _, _ in }
        get = { _, _ in }
        copy = { _, _ in }
        isEqual = { _, _ in true }
        fault = { _ in nil }
    }
}

/// What GObject is told of every property, whatever its kind. The texts live as long as the process.
struct PropertyText {
    let name: UnsafePointer<CChar>
    let nick: UnsafePointer<CChar>
    let blurb: UnsafePointer<CChar>
    let flags: GParamFlags

    init(_ name: String, _ nick: String, _ blurb: String, _ mutability: Property.Mutability) {
        self.name = g_intern_string(name)
        self.nick = g_intern_string(nick)
        self.blurb = g_intern_string(blurb)
        flags =
            switch mutability {
            case .controllable: SWIFTODT_PARAM_CONTROLLABLE
            case .playing: SWIFTODT_PARAM_PLAYING
            case .ready: SWIFTODT_PARAM_READY
            case .readOnly: SWIFTODT_PARAM_READ_ONLY
            }
    }
}
