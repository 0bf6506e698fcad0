// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "swiftodt",
    products: [
        .library(name: "SwiftODT", targets: ["SwiftODT"]),
        // The API of ML Kit for iOS, with Foundation's types.
        .library(name: "SwiftODTMLKit", targets: ["SwiftODTMLKit"]),
        // Objects of a video as an AsyncSequence. Contains the element, so that a program needs no plugin.
        .library(name: "SwiftODTVideo", targets: ["SwiftODTVideo", "GstSwiftODT"]),
        // The GStreamer plugin.
        .library(name: "gstswiftodt", type: .dynamic, targets: ["GstSwiftODT"]),
        .executable(name: "odt", targets: ["odt"]),
    ],
    targets: [
        // Everything that is C: module maps for the platform's libraries, and the small element.
        .systemLibrary(
            name: "CGStreamer", path: "CShims/CGStreamer", pkgConfig: "gstreamer-video-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(
            name: "CGStreamerCheck", path: "CShims/CGStreamerCheck", pkgConfig: "gstreamer-check-1.0",
            providers: [.apt(["libgstreamer1.0-dev"])]),
        .systemLibrary(
            name: "CCairo", path: "CShims/CCairo", pkgConfig: "cairo",
            providers: [.apt(["libcairo2-dev"])]),
        .systemLibrary(
            name: "CPango", path: "CShims/CPango", pkgConfig: "pangocairo",
            providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(
            name: "CFontconfig", path: "CShims/CFontconfig", pkgConfig: "fontconfig",
            providers: [.apt(["libfontconfig-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "CShims/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CTurboJPEG", path: "CShims/CTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CVersion", path: "CShims/CVersion"),
        .systemLibrary(name: "CLinux", path: "CShims/CLinux"),
        .target(name: "COpenVINO", path: "CShims/COpenVINO"),
        .target(
            name: "CSwiftODTElement", dependencies: ["CGStreamer"], path: "CShims/CSwiftODTElement"),

        .target(
            name: "SwiftODT", dependencies: ["COpenVINO", "CCairo", "CLinux", "CTurboJPEG", "CZlib"],
            resources: [.embedInCode("Classification/Vocabularies")]),
        .target(name: "SwiftODTMLKit", dependencies: ["SwiftODT"]),
        .target(name: "GstFrames", dependencies: ["SwiftODT", "CGStreamer"]),
        .target(
            name: "GstSwiftODT",
            dependencies: ["SwiftODT", "GstFrames", "CGStreamer", "CCairo", "CPango", "CSwiftODTElement"]),
        // Plays pipelines for odt.
        .target(name: "Playback", dependencies: ["SwiftODT", "CGStreamer"]),
        .target(name: "SwiftODTVideo", dependencies: ["SwiftODT", "Playback", "GstFrames", "CGStreamer"]),
        .executableTarget(
            name: "odt",
            dependencies: [
                "SwiftODT", "GstFrames", "Playback", "CGStreamer", "CTurboJPEG", "CFontconfig", "CLinux", "CVersion",
            ],
            // The web pages. File names must be unique in all folders.
            resources: [.embedInCode("Resources")]),

        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(
            name: "SwiftODTTests", dependencies: ["SwiftODT", "SwiftODTMLKit", "TestSupport"],
            exclude: ["Classification/Labels"]),
        .testTarget(
            name: "SwiftODTVideoTests",
            dependencies: ["SwiftODTVideo", "GstSwiftODT", "Playback", "CGStreamer", "TestSupport"]),
        .testTarget(name: "PlaybackTests", dependencies: ["Playback", "CGStreamer", "TestSupport"]),
        .testTarget(name: "odtTests", dependencies: ["odt", "Playback", "SwiftODT", "CGStreamer", "TestSupport"]),
        .testTarget(
            name: "GstSwiftODTTests",
            dependencies: ["GstSwiftODT", "GstFrames", "SwiftODT", "CGStreamerCheck", "TestSupport"],
            exclude: ["Annotation/Golden"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)

// Tests/run builds the tests together with the optimised library. Optimising the tests, too, would take longer than it saves.
for target in package.targets where target.type == .test {
    target.swiftSettings = [.unsafeFlags(["-Onone"], .when(configuration: .release))]
}

// Programs for development: the fuzzer and the benchmarks. They use internals by `package` access, so they are targets of
// this package, and an environment variable keeps them out of the builds of users.
if Context.environment["SWIFTODT_DEVELOPMENT"] != nil {
    package.targets += [
        .executableTarget(
            name: "fuzz", dependencies: ["SwiftODT", "GstFrames", "GstSwiftODT", "Playback"], path: "Tests/fuzz/Sources"
        ),
        .executableTarget(
            name: "decoding", dependencies: ["SwiftODT"], path: "Tests/Benchmarks/decoding/Sources/decoding"),
        .executableTarget(
            name: "inference", dependencies: ["SwiftODT"], path: "Tests/Benchmarks/inference/Sources/inference"),
        .executableTarget(name: "cost", dependencies: ["SwiftODT"], path: "Tests/Benchmarks/tracking/Sources/cost"),
        .executableTarget(
            name: "ablation", dependencies: ["SwiftODT"], path: "Tests/Benchmarks/tracking/Sources/ablation"),
        .executableTarget(name: "carry", dependencies: ["SwiftODT"], path: "Tests/Benchmarks/tracking/Sources/carry"),
    ]
}
