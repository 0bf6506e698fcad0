// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "tracking-benchmark",
    dependencies: [.package(name: "swiftodt", path: "../../..")],
    targets: [
        .executableTarget(name: "cost", dependencies: [.product(name: "SwiftODT", package: "swiftodt")]),
        .executableTarget(name: "carry", dependencies: [.product(name: "SwiftODT", package: "swiftodt")]),
    ],
    swiftLanguageModes: [.v6]
)
