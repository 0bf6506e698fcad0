// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "swiftodt", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "SwiftODT", package: "swiftodt"), .product(name: "GstSwiftODT", package: "swiftodt"),
                .product(name: "Playback", package: "swiftodt"),
            ], path: "Sources")
    ],
    swiftLanguageModes: [.v6]
)
