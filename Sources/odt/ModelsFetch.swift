import Foundation
import SwiftODT

/// The program that fetches models, `Pipelines/fetch-models`.
struct ModelFetcher {
    let path: String
    var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    /// What to run where it cannot be found.
    static let advice = "Pipelines/fetch-models"

    /// Looks for it above this program (a checkout) and where it would be installed with it.
    static func find() -> ModelFetcher? {
        var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        var candidates = [folder.appendingPathComponent("../share/swiftodt/fetch-models").standardizedFileURL.path]
        while folder.path != "/" {
            candidates.append(folder.appendingPathComponent(advice).path)
            folder.deleteLastPathComponent()
        }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }.map(ModelFetcher.init)
    }

    /// Runs it, its words going where ours go, and gives its exit code.
    func run(_ names: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = names
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// What a file's content is known by.
enum FileDigest {
    /// In hexadecimal, as the platform's own program reckons it; `nil` where the file cannot be read.
    static func sha256(_ path: String) throws -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/sha256sum")
        process.arguments = ["--", path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // A name with unusual characters makes it start the line with a backslash.
        return process.terminationStatus == 0 ? text.split(separator: " ").first?.drop { $0 == "\\" }.description : nil
    }
}
