extension KnownAnswer {
    /// Returns the error for a network that fails its known-answer test.
    static func error(_ problem: String, file: String, device: String) -> ODTError {
        let runtime =
            (try? OpenVINO.shared().version.split(separator: "-").first).map { "OpenVINO \($0)" } ?? "the runtime"
        return ODTError(
            .failed,
            "\(file) fails its known-answer test on \(device): \(problem). The model is damaged, or \(runtime) "
                + "computes wrong results on this processor; \"odt doctor\" checks the model's files, \"odt setup\" fetches model and runtime again"
        )
    }
}
