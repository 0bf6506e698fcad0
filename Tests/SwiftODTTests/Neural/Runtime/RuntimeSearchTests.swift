import Foundation
import ODTTestSupport
import Testing

@testable import SwiftODT

/// Tests the errors for a missing or unsuitable runtime library.
@Suite struct RuntimeSearchTests {
    @Test func missingRuntimeNamesFoldersAndRemedy() throws {
        let error = try detectorError {
            _ = try OpenVINO.load(RuntimeSearch.candidates(named: "/nowhere/at/all"))
        }
        #expect(error.reason == .runtimeMissing)
        #expect(error.description.contains("/nowhere/at/all"))
        #expect(error.description.contains("Pipelines/setup"))
        #expect(error.description.contains("SWIFTODT_OPENVINO"))
    }

    @Test func libraryWithoutFunctionsIsTooOld() throws {
        let error = try detectorError {
            _ = try OpenVINO.load(RuntimeSearch.Candidates(files: ["libc.so.6"], places: ["here"]))
        }
        #expect(error.reason == .runtimeMissing)
        #expect(error.description.contains("ov_"))
        #expect(error.description.contains("too old"))
    }

    @Test func invalidLibraryIsNamed() throws {
        let error = try detectorError {
            _ = try OpenVINO.load(RuntimeSearch.candidates(named: #filePath))
        }
        #expect(error.reason == .runtimeMissing)
        #expect(error.description.contains("RuntimeSearchTests.swift"))
    }

    @Test func userFolderPrecedesSystemFolders() throws {
        let places = RuntimeSearch.candidates(named: nil).places
        let user = try #require(places.firstIndex { $0.hasSuffix("share/swiftodt/openvino") })
        let system = try #require(places.firstIndex(of: "/usr/share/swiftodt/openvino"))
        #expect(user < system)
        #expect(Set(places).count == places.count)
    }

    /// A program in a checkout below `/tmp` must not load libraries from `/tmp/share`, which any user can create.
    @Test(arguments: [
        ("/opt/odt/bin/odt", "/opt/odt"), ("/bin/odt", ""), ("/usr/lib/gstreamer-1.0/p.so", "/usr"),
        ("/usr/lib/x86_64-linux-gnu/gstreamer-1.0/p.so", "/usr"), ("/opt/lib64/gstreamer-1.0/p.so", "/opt"),
        ("/tmp/x/.build/tool/odt", nil), ("/tmp/bin/x/odt", nil), ("/tmp/lib/a/b/gstreamer-1.0/p.so", nil),
        ("/tmp/gstreamer-1.0/p.so", nil), ("/odt", nil),
    ])
    func onlyInstalledFilesHavePrefix(file: String, prefix: String?) {
        #expect(DataFolders.prefix(of: file) == prefix)
    }

    @Test func onlyPluginOfWheelUsesPythonPackages() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.path
        let plugins = "swiftodt/native/lib/gstreamer-1.0"
        for name in [plugins, "openvino", "other/lib/gstreamer-1.0"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        func package(_ name: String, of file: String) -> String? {
            DataFolders.pythonPackage(name, besidePackageOf: "\(folder)/\(file)/libgstswiftodt.so")
        }
        // A folder of this name without __init__.py is no Python package.
        #expect(package("openvino", of: plugins) == nil)
        try "".write(toFile: "\(folder)/swiftodt/__init__.py", atomically: true, encoding: .utf8)
        #expect(package("openvino", of: plugins) == "\(folder)/openvino")
        #expect(package("absent", of: plugins) == nil)
        #expect(package("openvino", of: "other/lib/gstreamer-1.0") == nil)
        #expect(DataFolders.pythonPackage("openvino", besidePackageOf: nil) == nil)
    }
}
