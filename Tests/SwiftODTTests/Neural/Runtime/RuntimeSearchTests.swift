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
}
