// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "decoding-benchmark",
    dependencies: [.package(name: "swiftodt", path: "../../..")],
    targets: [
        .executableTarget(
            name: "decoding", dependencies: [.product(name: "SwiftODT", package: "swiftodt")])
    ],
    swiftLanguageModes: [.v6]
)
