// swift-tools-version: 6.0
import PackageDescription

// In a package of your own: .package(url: "https://example.com/swiftodt.git", branch: "main")
let package = Package(
    name: "photo",
    dependencies: [.package(name: "swiftodt", path: "../../../..")],
    targets: [.executableTarget(name: "photo", dependencies: [.product(name: "SwiftODTMLKit", package: "swiftodt")])],
    swiftLanguageModes: [.v6]
)
