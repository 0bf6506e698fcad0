import Playback
import SwiftODT

/// A message of the watch about a camera, `swiftodt-camera`, in the same format as the element's messages.
struct CameraEvent {
    enum Kind: String { case connected, lost, ended }

    let camera: String
    let kind: Kind
    /// The reason of `lost` or `ended`.
    var reason: String?
    /// The number of the connection to this camera since the program started, from 1; 0 before the first connection.
    var session: UInt32
    /// The number of attempts until this connection, or of failed attempts since the camera was lost.
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
