import SwiftODT

/// Whether the networks that are used by default give the answers that their manifests name. Says nothing of missing ones: other parts did.
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
                .missing(part, "\(error)", remedy: "see the line '\(purpose.rawValue)' above: are its files whole?")
            ]
        }
    }
    if !unknown.isEmpty {
        let names = unknown.joined(separator: ", ")
        return [
            .limited(
                part, "no known answers are at hand for \(names)", remedy: "\(FetchProgram.modelAdvice) fetches them")
        ]
    }
    return right.isEmpty ? [] : [.fine(part, "known answers from \(right.joined(separator: ", "))")]
}

/// Loading a network runs its known-answer test.
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
