import SwiftODT

/// The runtime that computes networks.
@Sendable func examineRuntime() -> [Finding] {
    do {
        let runtime = try InferenceRuntime.find()
        return [.fine("runtime", "OpenVINO \(runtime.version), \(runtime.processor)")]
    } catch {
        return [
            .missing(
                "runtime", "\(error)",
                remedy: "without it there is detector=motion and upstream alone; \(FetchProgram.advice) fetches it")
        ]
    }
}
