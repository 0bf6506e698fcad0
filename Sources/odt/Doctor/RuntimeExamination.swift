import SwiftODT

/// Examines the OpenVINO runtime.
@Sendable func examineRuntime() -> [Finding] {
    do {
        let runtime = try InferenceRuntime.find()
        return [.fine("runtime", "OpenVINO \(runtime.version), \(runtime.processor)")]
    } catch {
        return [
            .missing(
                "runtime", "\(error)",
                remedy: "without it only detector=motion and upstream work; run \(FetchProgram.advice) to install it")
        ]
    }
}
