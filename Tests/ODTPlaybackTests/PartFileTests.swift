import Glibc
import ODTTestSupport
import Testing

@testable import ODTPlayback

/// An unfinished file has a temporary name, and its lock shows whether a writer is still active.
@Suite struct PartFileTests {
    private let temporary: TemporaryFolder
    private var folder: String { temporary.path }

    init() throws { temporary = try TemporaryFolder() }

    private func content(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1000)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    @Test func fileIsRenamedWhenFinished() throws {
        let file = try PartFile(folder + "/new/out.jsonl")
        try file.write("one\n")
        #expect(content(folder + "/new/out.part.jsonl") == "one\n")
        #expect(content(folder + "/new/out.jsonl") == nil)
        try file.finish()
        #expect(content(folder + "/new/out.jsonl") == "one\n")
        #expect(content(folder + "/new/out.part.jsonl") == nil)
    }

    @Test func fileThatAppearsMeanwhileIsOnlyReplacedOnRequest() throws {
        let file = try PartFile(folder + "/a.out")
        try file.write("new")
        fclose(fopen(folder + "/a.out", "w"))
        #expect {
            try file.finish(replaces: false)
        } throws: {
            ($0 as? PlaybackError)?.reason == .invalidOption
        }
        #expect(content(folder + "/a.out") == "" && content(file.path) == "new")
        unlink(folder + "/a.out")
        try file.finish(replaces: false)
        #expect(content(folder + "/a.out") == "new" && content(file.path) == nil)
    }

    @Test func concurrentFilesOfSameNameDoNotCollide() throws {
        let (one, two) = (try PartFile(folder + "/a.mp4"), try PartFile(folder + "/a.mp4"))
        #expect(two.path == folder + "/a.part2.mp4")
        // flock belongs to an open file description, so this second open by the same process counts as another owner.
        #expect(PartFile.interrupted(of: folder + "/a.mp4").isEmpty)
        one.discard()
        two.discard()
        #expect(content(two.path) == nil)
    }

    @Test func interruptedFilesAreFound() throws {
        fclose(fopen(folder + "/a.part3.mp4", "w"))
        fclose(fopen(folder + "/a.part.mkv", "w"))
        fclose(fopen(folder + "/a.party.mp4", "w"))
        #expect(PartFile.interrupted(of: folder + "/a.mp4") == [folder + "/a.part3.mp4"])
    }

    @Test func allNamesOfFileHaveSameTarget() throws {
        let target = PartFile.target(of: folder + "/a.out")
        symlink("b.out", folder + "/link.out")
        symlink("link.out", folder + "/other.out")
        #expect(PartFile.target(of: folder + "/./a.out") == target)
        #expect(PartFile.target(of: folder + "//a.out") == target)
        #expect(PartFile.target(of: folder + "/none/../a.out") == target)
        #expect(PartFile.target(of: folder + "/other.out") == PartFile.target(of: folder + "/b.out"))
        // The folder does not exist yet.
        #expect(PartFile.target(of: folder + "/new/c.out") == PartFile.target(of: folder + "/new/./../new//c.out"))
        #expect(PartFile.target(of: folder + "/new/c.out").hasSuffix("/new/c.out"))
        #expect(PartFile.target(of: folder + "/b.out") != target)
    }

    @Test func errorNamesRequestedFile() {
        let name = folder + "/" + String(repeating: "x", count: 250) + ".mp4"
        let error = #expect(throws: PlaybackError.self) { try PartFile(name) }
        #expect(error.map { "\($0)" } == "cannot write \(PartFile.target(of: name)): File name too long")
    }

    @Test func folderIsRejected() {
        #expect(throws: PlaybackError.self) { try PartFile(folder) }
        #expect(PartFile.parts(of: "/x/.mp4").ending == "")
        #expect(PartFile.parts(of: "/x.y/a.b.mp4") == ("/x.y/", "a.b", ".mp4"))
    }
}
