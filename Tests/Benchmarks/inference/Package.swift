// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "inference-benchmark",
    dependencies: [.package(name: "swiftodt", path: "../../..")],
    targets: [
        .executableTarget(
            name: "inference", dependencies: [.product(name: "SwiftODT", package: "swiftodt")])
    ],
    swiftLanguageModes: [.v6]
)
