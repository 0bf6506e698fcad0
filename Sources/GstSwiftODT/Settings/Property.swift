import CODTGStreamer
import CSwiftODTElement
import SwiftODT

/// The values of all properties of an element. The initial values are the defaults.
protocol PropertyValues: Sendable {
    init()
}

extension Settings: PropertyValues {}

typealias Property = ElementProperty<Settings>

/// The states of the element in which a property can be changed.
enum PropertyMutability: Sendable {
    /// In any state, and by a GStreamer controller from frame to frame.
    case controllable
    /// In any state.
    case playing
    /// In any state, but a running element uses the value that the property had when the element started. The new
    /// value takes effect when the element starts again.
    case ready
    /// Never. The session provides the value.
    case readOnly
}

/// One property of an element: its GObject specification, and the key path of its value in the element's settings. The
/// default is the initial value in the settings.
struct ElementProperty<Values: PropertyValues>: Sendable {
    typealias Path<Value> = WritableKeyPath<Values, Value> & Sendable
    typealias Mutability = PropertyMutability

    let name: String
    /// The name of the property to which the value belongs. Usually, this is ``name``. If this property presents the
    /// value of another property with a different type, for example as an array instead of a text, it is the name of
    /// the other property.
    let subject: String
    let mutability: Mutability
    /// Called once, when the element's class is initialised.
    let makeSpec: @Sendable () -> UnsafeMutablePointer<GParamSpec>
    let set: @Sendable (_ value: UnsafePointer<GValue>, _ settings: inout Values) -> Void
    let get: @Sendable (_ settings: Values, _ value: UnsafeMutablePointer<GValue>) -> Void
    let copy: @Sendable (_ from: Values, _ settings: inout Values) -> Void
    let isEqual: @Sendable (Values, Values) -> Bool
    /// Returns the text of a warning if the value is implausible regardless of other properties; otherwise `nil`.
    let fault: @Sendable (Values) -> String?

    init<Value: Equatable & Sendable>(
        _ name: String, of subject: String? = nil, _ path: Path<Value>, _ kind: PropertyKind<Value>,
        _ mutability: Mutability, _ nick: String, _ blurb: String
    ) {
        self.name = name
        self.subject = subject ?? name
        self.mutability = mutability
        let standard = Values()[keyPath: path]
        makeSpec = { kind.makeSpec(PropertyText(name, nick, blurb, mutability), standard) }
        set = { $1[keyPath: path] = kind.get($0) ?? standard }
        get = { kind.set($1, $0[keyPath: path]) }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        isEqual = { $0[keyPath: path] == $1[keyPath: path] }
        fault = { kind.fault(name, $0[keyPath: path]) }
    }

    /// Creates a read-only property whose value is a structure. The session creates the value when the property is
    /// read.
    init(structure name: String, _ nick: String, _ blurb: String) {
        (self.name, subject) = (name, name)
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

/// The arguments that are common to all functions that create a `GParamSpec`. The texts are valid until the process
/// ends.
struct PropertyText {
    let name: UnsafePointer<CChar>
    let nick: UnsafePointer<CChar>
    let blurb: UnsafePointer<CChar>
    let flags: GParamFlags

    init(_ name: String, _ nick: String, _ blurb: String, _ mutability: PropertyMutability) {
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

struct PropertyKind<Value: Equatable & Sendable>: Sendable {
    let makeSpec: @Sendable (PropertyText, _ standard: Value) -> UnsafeMutablePointer<GParamSpec>
    /// Converts a `GValue`; `nil` if it stands for the default value.
    let get: @Sendable (UnsafePointer<GValue>) -> Value?
    let set: @Sendable (UnsafeMutablePointer<GValue>, Value) -> Void
    var fault: @Sendable (_ name: String, Value) -> String? = { _, _ in nil }
}

extension PropertyKind<Bool> {
    static var boolean: PropertyKind {
        PropertyKind(
            makeSpec: { g_param_spec_boolean($0.name, $0.nick, $0.blurb, $1 ? 1 : 0, $0.flags) },
            get: { g_value_get_boolean($0) != 0 }, set: { g_value_set_boolean($0, $1 ? 1 : 0) })
    }
}

extension PropertyKind<Int> {
    static func count(_ range: ClosedRange<Int32>) -> PropertyKind {
        PropertyKind(
            makeSpec: {
                g_param_spec_uint(
                    $0.name, $0.nick, $0.blurb, guint(range.lowerBound), guint(range.upperBound), guint(clamping: $1),
                    $0.flags)
            },
            get: { Int(g_value_get_uint($0)) }, set: { g_value_set_uint($0, guint(clamping: $1)) })
    }
}

extension PropertyKind<UInt32> {
    static var color: PropertyKind {
        PropertyKind(
            makeSpec: { g_param_spec_uint($0.name, $0.nick, $0.blurb, 0, .max, $1, $0.flags) },
            get: { g_value_get_uint($0) }, set: { g_value_set_uint($0, $1) })
    }
}

extension PropertyKind<Nanoseconds> {
    static func time(upTo maximum: Nanoseconds = .max) -> PropertyKind {
        PropertyKind(
            makeSpec: {
                g_param_spec_uint64(
                    $0.name, $0.nick, $0.blurb, 0, guint64(clamping: maximum), guint64(clamping: $1), $0.flags)
            },
            get: { Nanoseconds(clamping: g_value_get_uint64($0)) },
            set: { g_value_set_uint64($0, guint64(clamping: $1)) }, fault: mistakenUnit)
    }

    /// Returns a warning for a time below 1 ms, because the user has probably assumed another unit than nanoseconds.
    @Sendable private static func mistakenUnit(_ name: String, _ time: Nanoseconds) -> String? {
        guard time > 0, time < 1_000_000 else { return nil }
        let (unit, factor) = time < 1000 ? ("seconds", 1_000_000_000) : ("milliseconds", 1_000_000)
        return "\(name)=\(time) is less than 1 ms; times are in nanoseconds, \(time) \(unit) are "
            + "\(time * Nanoseconds(factor))"
    }
}

extension PropertyKind<Double> {
    static func real(_ range: ClosedRange<Double>) -> PropertyKind {
        PropertyKind(
            makeSpec: {
                g_param_spec_double($0.name, $0.nick, $0.blurb, range.lowerBound, range.upperBound, $1, $0.flags)
            },
            get: { g_value_get_double($0) }, set: { g_value_set_double($0, $1) })
    }
}

extension PropertyKind<String> {
    /// A text. An unset text stands for the default.
    static var text: PropertyKind {
        PropertyKind(
            makeSpec: { g_param_spec_string($0.name, $0.nick, $0.blurb, $1, $0.flags) },
            get: { g_value_get_string($0).map { String(cString: $0) } }, set: { g_value_set_string($0, $1) })
    }
}

extension PropertyKind<String?> {
    static var optionalText: PropertyKind {
        PropertyKind(
            makeSpec: { words, _ in g_param_spec_string(words.name, words.nick, words.blurb, nil, words.flags) },
            get: { .some(g_value_get_string($0).map { String(cString: $0) }) },
            set: { value, text in
                if let text { g_value_set_string(value, text) } else { g_value_set_string(value, nil) }
            })
    }
}

// MARK: - Choices

/// One of the values of an enumeration or flags property: the value, its name for users (`nick`), and its description.
typealias PropertyChoice<Value> = (value: Value, nick: String, about: String)

extension PropertyKind {
    /// One of several values. The integer that GObject uses for a value is its index in `choices`.
    static func choice(_ typeName: String, _ choices: PropertyChoice<Value>...) -> PropertyKind {
        let number: @Sendable (Value) -> gint = { value in gint(choices.firstIndex { $0.value == value } ?? 0) }
        return PropertyKind(
            makeSpec: { words, standard in
                var values = choices.enumerated().map { number, choice in
                    GEnumValue(
                        value: gint(number), value_name: g_intern_string(choice.about),
                        value_nick: g_intern_string(choice.nick))
                }
                values.append(GEnumValue())
                let type = g_enum_register_static(typeName, values.forever)
                gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0))
                return g_param_spec_enum(words.name, words.nick, words.blurb, type, number(standard), words.flags)
            },
            get: { value in
                let number = Int(g_value_get_enum(value))
                return choices.indices.contains(number) ? choices[number].value : nil
            },
            set: { g_value_set_enum($0, number($1)) })
    }
}

extension PropertyKind where Value: OptionSet, Value.RawValue == guint {
    static func flags(_ typeName: String, _ choices: PropertyChoice<Value>...) -> PropertyKind {
        PropertyKind(
            makeSpec: { words, standard in
                var values = choices.map {
                    GFlagsValue(
                        value: $0.value.rawValue, value_name: g_intern_string($0.about),
                        value_nick: g_intern_string($0.nick))
                }
                values.append(GFlagsValue())
                let type = g_flags_register_static(typeName, values.forever)
                gst_type_mark_as_plugin_api(type, GstPluginAPIFlags(0))
                return g_param_spec_flags(words.name, words.nick, words.blurb, type, standard.rawValue, words.flags)
            },
            get: { Value(rawValue: g_value_get_flags($0)) }, set: { g_value_set_flags($0, $1.rawValue) })
    }
}

extension Array {
    /// A copy of the array that exists until the process ends, as GObject requires for the values of types.
    fileprivate var forever: UnsafePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: count)
        copy.initialize(from: self, count: count)
        return UnsafePointer(copy)
    }
}
