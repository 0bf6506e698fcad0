import Glibc
import ODTPlayback
import ODTTestSupport
import Testing

@Suite("FolderLock")
struct FolderLockTests {
    @Test func folderHasOneLockAtATimeAndNoLockFile() throws {
        let folder = try TemporaryFolder()
        var lock = FolderLock(folder.path)
        #expect(lock != nil)
        #expect(FolderLock(folder.path + "/../" + folder.path.split(separator: "/").last!) == nil)
        #expect(PartFile.names(in: folder.path).allSatisfy { $0.hasPrefix(".") })
        lock = nil
        #expect(FolderLock(folder.path) != nil)
    }

    @Test func folderThatCannotBeOpenedIsNotLocked() { #expect(FolderLock("/nowhere/at/all") != nil) }
}
