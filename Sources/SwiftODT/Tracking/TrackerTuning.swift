/// The heuristics of a ``Tracker`` that `Tests/Benchmarks/tracking/ablation` switches off, one at a time, to measure
/// what each is worth. Products leave all of them on.
package struct TrackerHeuristics: OptionSet, Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static let bimodalThreshold = Self(rawValue: 1 << 0)
    package static let softNMS = Self(rawValue: 1 << 1)
    package static let heightIoU = Self(rawValue: 1 << 4)
    package static let motionSimilarity = Self(rawValue: 1 << 5)
    package static let trackAge = Self(rawValue: 1 << 6)
    package static let confidenceCost = Self(rawValue: 1 << 8)
    package static let appearance = Self(rawValue: 1 << 9)
    package static let cameraMotion = Self(rawValue: 1 << 10)
    package static let secondAssociation = Self(rawValue: 1 << 11)
    package static let establishedLimit = Self(rawValue: 1 << 12)
    package static let lastPosition = Self(rawValue: 1 << 14)
    package static let scoreNoise = Self(rawValue: 1 << 16)
    package static let adaptiveJitter = Self(rawValue: 1 << 17)
    package static let adaptiveAcceleration = Self(rawValue: 1 << 18)
    package static let imageUncertainty = Self(rawValue: 1 << 19)
    package static let scoreEvidence = Self(rawValue: 1 << 20)
    package static let residual = Self(rawValue: 1 << 21)
    package static let sizeDamping = Self(rawValue: 1 << 22)
    package static let positionDrift = Self(rawValue: 1 << 23)
    package static let pictureCheck = Self(rawValue: 1 << 24)
    package static let imageMotion = Self(rawValue: 1 << 25)
    package static let tightMargin = Self(rawValue: 1 << 26)
    package static let cameraVelocity = Self(rawValue: 1 << 27)
    package static let uncertaintyOfPlace = Self(rawValue: 1 << 29)
    package static let hiding = Self(rawValue: 1 << 30)
    package static let background = Self(rawValue: 1 << 31)

    package static let all = Self(rawValue: .max)

    package static let names: [(name: String, heuristic: Self)] = [
        ("bimodalThreshold", .bimodalThreshold), ("softNMS", .softNMS), ("heightIoU", .heightIoU),
        ("motionSimilarity", .motionSimilarity),
        ("trackAge", .trackAge), ("confidenceCost", .confidenceCost),
        ("appearance", .appearance), ("cameraMotion", .cameraMotion), ("secondAssociation", .secondAssociation),
        ("establishedLimit", .establishedLimit), ("lastPosition", .lastPosition),
        ("scoreNoise", .scoreNoise), ("adaptiveJitter", .adaptiveJitter),
        ("adaptiveAcceleration", .adaptiveAcceleration), ("imageUncertainty", .imageUncertainty),
        ("scoreEvidence", .scoreEvidence), ("residual", .residual), ("sizeDamping", .sizeDamping),
        ("positionDrift", .positionDrift), ("pictureCheck", .pictureCheck), ("imageMotion", .imageMotion),
        ("tightMargin", .tightMargin), ("cameraVelocity", .cameraVelocity),
        ("uncertaintyOfPlace", .uncertaintyOfPlace), ("hiding", .hiding), ("background", .background),
    ]
}
