import Playback
import SwiftODT

/// What the watch itself has to say of a camera, as a message of the shape that the element's have: `swiftodt-camera`.
struct CameraEvent {
    enum Kind: String { case connected, lost, ended }

    let camera: String
    let kind: Kind
    /// Why it was lost or has ended.
    var reason: String?
    /// Which connection of this camera it is about, from 1 for each start of the program; 0 before there was one.
    var session: UInt32
    /// How many attempts it took to connect, or how many have failed since it was lost.
    var attempt: UInt32

    func message(at time: Nanoseconds) -> OwnedStructure {
        let fields = OwnedStructure(named: "swiftodt-camera")
        fields.set("version", to: UInt32(1))
        fields.set("source", to: camera)
        fields.set("event", to: kind.rawValue)
        if let reason { fields.set("reason", to: reason) }
        fields.set("attempt", to: attempt)
        fields.set("utc-time", to: UInt64(max(0, time)))
        fields.set("session", to: session)
        return fields
    }
}
