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
            name: "CODTGStreamer", path: "CShims/CODTGStreamer", pkgConfig: "gstreamer-video-1.0",
            providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
        .systemLibrary(
            name: "CODTGStreamerCheck", path: "CShims/CODTGStreamerCheck", pkgConfig: "gstreamer-check-1.0",
            providers: [.apt(["libgstreamer1.0-dev"])]),
        .systemLibrary(
            name: "CODTCairo", path: "CShims/CODTCairo", pkgConfig: "cairo",
            providers: [.apt(["libcairo2-dev"])]),
        .systemLibrary(
            name: "CODTPango", path: "CShims/CODTPango", pkgConfig: "pangocairo",
            providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(
            name: "CODTFontconfig", path: "CShims/CODTFontconfig", pkgConfig: "fontconfig",
            providers: [.apt(["libfontconfig-dev"])]),
        .systemLibrary(
            name: "CODTZlib", path: "CShims/CODTZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CODTTurboJPEG", path: "CShims/CODTTurboJPEG", pkgConfig: "libturbojpeg",
            providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CODTVersion", path: "CShims/CODTVersion"),
        .systemLibrary(name: "CODTLinux", path: "CShims/CODTLinux"),
        .target(name: "CODTOpenVINO", path: "CShims/CODTOpenVINO"),
        .target(
            name: "CSwiftODTElement", dependencies: ["CODTGStreamer"], path: "CShims/CSwiftODTElement"),

        .target(
            name: "SwiftODT", dependencies: ["CODTOpenVINO", "CODTCairo", "CODTLinux", "CODTTurboJPEG", "CODTZlib"],
            resources: [.embedInCode("Classification/Vocabularies")]),
        .target(name: "SwiftODTMLKit", dependencies: ["SwiftODT"]),
        .target(name: "GstFrames", dependencies: ["SwiftODT", "CODTGStreamer"]),
        .target(
            name: "GstSwiftODT",
            dependencies: ["SwiftODT", "GstFrames", "CODTGStreamer", "CODTCairo", "CODTPango", "CSwiftODTElement"]),
        // Plays pipelines for odt.
        .target(name: "ODTPlayback", dependencies: ["SwiftODT", "GstFrames", "CODTGStreamer"]),
        .target(name: "SwiftODTVideo", dependencies: ["SwiftODT", "ODTPlayback", "GstFrames", "CODTGStreamer"]),
        .executableTarget(
            name: "odt",
            dependencies: [
                "SwiftODT", "GstFrames", "ODTPlayback", "CODTGStreamer", "CODTTurboJPEG", "CODTFontconfig", "CODTLinux",
                "CODTVersion",
            ],
            // The web pages. File names must be unique in all folders.
            resources: [.embedInCode("Resources")]),

        .target(name: "ODTTestSupport", path: "Tests/ODTTestSupport"),
        .testTarget(
            name: "SwiftODTTests", dependencies: ["SwiftODT", "SwiftODTMLKit", "ODTTestSupport"],
            exclude: ["Classification/Labels"]),
        .testTarget(
            name: "SwiftODTVideoTests",
            dependencies: ["SwiftODTVideo", "GstSwiftODT", "ODTPlayback", "CODTGStreamer", "ODTTestSupport"]),
        .testTarget(name: "ODTPlaybackTests", dependencies: ["ODTPlayback", "CODTGStreamer", "ODTTestSupport"]),
        .testTarget(
            name: "odtTests", dependencies: ["odt", "ODTPlayback", "SwiftODT", "CODTGStreamer", "ODTTestSupport"]),
        .testTarget(
            name: "GstSwiftODTTests",
            dependencies: ["GstSwiftODT", "GstFrames", "SwiftODT", "CODTGStreamerCheck", "ODTTestSupport"],
            exclude: ["Annotation/Golden"]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu11
)

// Tests/run builds the tests together with the optimised library. Optimising the tests and odt, too, would take longer than it
// saves.
let testsOnly = Context.environment["SWIFTODT_TESTS_ONLY"] != nil
for target in package.targets where target.type == .test || testsOnly && target.type == .executable {
    target.swiftSettings = [.unsafeFlags(["-Onone"], .when(configuration: .release))]
}

// Programs for development: the fuzzer and the benchmarks. They use internals by `package` access, so they are targets of
// this package, and an environment variable keeps them out of the builds of users.
if Context.environment["SWIFTODT_DEVELOPMENT"] != nil {
    package.targets += [
        .executableTarget(
            name: "fuzz", dependencies: ["SwiftODT", "GstFrames", "GstSwiftODT", "ODTPlayback"],
            path: "Tests/fuzz/Sources"
        ),
        .executableTarget(
            name: "inference", dependencies: ["SwiftODT"], path: "Tests/Benchmarks/inference/Sources/inference"),
        .executableTarget(name: "cost", dependencies: ["SwiftODT"], path: "Tests/Benchmarks/tracking/Sources/cost"),
        .executableTarget(
            name: "ablation", dependencies: ["SwiftODT"], path: "Tests/Benchmarks/tracking/Sources/ablation"),
    ]
}
