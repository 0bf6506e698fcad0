import Testing

@testable import ODTPlayback

/// Libraries that are loaded at run time may be missing or too old. The error then names the package to install.
@Suite struct SharedLibraryTests {
    @Test func missingLibraryNamesItsPackage() {
        #expect {
            try SharedLibrary("libnowhere.so.7", package: "libnowhere7", for: "--nowhere")
        } throws: { error in
            "\(error)" == "--nowhere needs libnowhere.so.7: apt install libnowhere7"
        }
    }

    @Test func incompatibleLibraryNamesMissingFunction() throws {
        let library = try SharedLibrary("libc.so.6", package: "libc6", for: "--later")
        #expect {
            let _: @convention(c) () -> Int32 = try library.function("of_a_later_version")
        } throws: { error in
            "\(error)".contains("of_a_later_version") && "\(error)".contains("apt install libc6")
        }
    }

    @Test func functionCanBeCalled() throws {
        let library = try SharedLibrary("libc.so.6", package: "libc6", for: "this test")
        let absolute: @convention(c) (Int32) -> Int32 = try library.function("abs")
        #expect(absolute(-7) == 7)
    }
}
