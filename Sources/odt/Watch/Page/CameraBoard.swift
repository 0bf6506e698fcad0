import SwiftODT
import Synchronization

/// What the page's programming interface tells: of each camera what there is, and what happened.
final class CameraBoard: Sendable {
    private struct State {
        var cameras: [ShownCamera]
        var log = EventLog()
    }

    private let state: Mutex<State>
    /// Tells one start of the program from another.
    private let run = String(UInt64.random(in: .min ... .max), radix: 16)

    init(_ cameras: [String]) {
        let now = WallClock.now
        state = Mutex(State(cameras: cameras.map { ShownCamera($0, at: now) }))
    }

    func take(_ message: WatchMessage) {
        state.withLock { state in
            if let place = state.cameras.firstIndex(where: { $0.name == message.camera }) {
                state.cameras[place].take(message, at: Self.step)
            }
            state.log.take(message)
        }
    }

    var cameras: JSONValue { reply("cameras", .array(state.withLock { $0.cameras.map(\.json) })) }

    func events(since number: Int) -> JSONValue {
        reply("events", .array(state.withLock { $0.log.events(since: number) }))
    }

    /// `nil` where no camera is called that.
    func counts(of camera: String) -> JSONValue? {
        state.withLock { state in
            guard let place = state.cameras.firstIndex(where: { $0.name == camera }) else { return nil }
            return state.cameras[place].history(at: WallClock.now, Self.step)
        }
    }

    func has(_ camera: String) -> Bool { state.withLock { $0.cameras.contains { $0.name == camera } } }

    private func reply(_ name: String, _ value: JSONValue) -> JSONValue {
        .object(["run": .string(run), "now": milliseconds(WallClock.now), name: value])
    }

    private static var step: Int { Int(MonotonicClock.now / CountHistory.step) }
}
