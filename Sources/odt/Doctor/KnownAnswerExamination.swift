import SwiftODT

/// Runs the known-answer tests in the manifests of the default models. Missing models are skipped, because another
/// examination reports them.
@Sendable func examineKnownAnswers() -> [Finding] {
    guard (try? InferenceRuntime.find()) != nil else { return [] }
    let part = "self-test"
    var right: [String] = []
    var unknown: [String] = []
    for purpose in ModelSearchPath.Purpose.allCases {
        guard let file = try? ModelSearchPath.locate(purpose) else { continue }
        let stem = FilePath.stem(of: file)
        do {
            if try ModelManifest.load(model: file)?.knownAnswers.isEmpty ?? true {
                unknown.append(stem)
                continue
            }
            try load(purpose)
            right.append(stem)
        } catch {
            return [
                .missing(part, "\(error)", remedy: "check its files in the line '\(purpose.rawValue)' above")
            ]
        }
    }
    if !unknown.isEmpty {
        let names = unknown.joined(separator: ", ")
        return [
            .limited(
                part, "no known answers for \(names)", remedy: "run \(FetchProgram.modelAdvice) to fetch them")
        ]
    }
    return right.isEmpty ? [] : [.fine(part, "known answers from \(right.joined(separator: ", "))")]
}

/// Loads the default model for a purpose. Loading a model runs its known-answer test.
private func load(_ purpose: ModelSearchPath.Purpose) throws {
    switch purpose {
    case .detector: _ = try DetectorConfiguration(.neural).makeDetector()
    case .salient:
        var configuration = DetectorConfiguration(.salient)
        configuration.isForStills = true
        _ = try configuration.makeDetector()
    case .classifier: _ = try CropClassifier()
    }
}
