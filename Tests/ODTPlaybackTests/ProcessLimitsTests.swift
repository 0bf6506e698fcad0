import Testing

@testable import ODTPlayback

@Suite struct ProcessLimitsTests {
    @Test func tooLowLimitsAreReportedWithRemedy() throws {
        let files = try #require(ProcessLimits.problem(files: 16, memory: .max))
        #expect(files.contains("16 files"))
        #expect(files.contains("ulimit -n"))
        let memory = try #require(ProcessLimits.problem(files: 1024, memory: 900_000 << 10))
        #expect(memory.contains("878 MB"))
        #expect(memory.contains("ulimit -v"))
        #expect(ProcessLimits.problem(files: 64, memory: 1 << 30) == nil)
    }
}
