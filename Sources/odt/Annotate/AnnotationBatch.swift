import Glibc
import ODTPlayback
import SwiftODT

/// The inputs of `odt annotate --out-dir`, each with its output files.
struct AnnotationBatch {
    struct Job {
        let input: String
        let outputs: AnnotationOutputs
    }

    let jobs: [Job]

    private static let videos: Set<String> = [
        ".3gp", ".asf", ".avi", ".flv", ".m2ts", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".mts", ".mxf",
        ".ogv", ".ts",
        ".vob", ".webm", ".wmv", ".y4m",
    ]

    init(_ line: CommandLineOptions, into folder: String) throws {
        var endings: [String: String] = [:]
        var taken: Set<String> = []
        let exports = try line.texts("--export").map(AnnotationOutputs.Export.init)
        let named = ["--json", "--csv", "--tracks-csv", "--events-csv", "--crops"].compactMap { option in
            line.text(option).map { (option, $0) }
        }
        for (option, ending) in named + exports.map({ ("--export", $0.name) }) {
            guard ending.hasPrefix("."), !ending.contains("/") else {
                throw CommandLineError(
                    "with --out-dir, \(option) needs an extension such as \(Self.examples[option] ?? ".csv"), not '\(ending)'."
                )
            }
            guard taken.insert(ending).inserted else {
                throw CommandLineError("two outputs have the same extension: choose different ones.")
            }
            endings[option] = ending
        }
        let container = try line.text("--container").map { kind in
            guard Container.named("." + kind) != nil else {
                throw CommandLineError("unknown container '\(kind)': use mp4, mov, mkv or webm.")
            }
            return "." + kind
        }
        let inputs = try line.operands.flatMap(Self.inputs)
        let stems = Self.stems(of: inputs)
        let base = folder.hasSuffix("/") ? folder : folder + "/"
        jobs = zip(inputs, stems).map { input, stem in
            Job(
                input: input,
                outputs: AnnotationOutputs(
                    video: base + stem + (container ?? Self.ending(for: input)),
                    messages: endings["--json"].map { base + stem + $0 },
                    frameTable: endings["--csv"].map { base + stem + $0 },
                    trackTable: endings["--tracks-csv"].map { base + stem + $0 },
                    eventTable: endings["--events-csv"].map { base + stem + $0 },
                    exports: exports.map { export in
                        var export = export
                        export.name = base + stem + export.name
                        return export
                    },
                    pictures: endings["--crops"].map { base + stem + $0 }))
        }
        var targets: Set<String> = []
        for name in jobs.flatMap(\.outputs.names) where !targets.insert(PartFile.target(of: name)).inserted {
            throw CommandLineError("two outputs are the same file, \(name): choose other extensions.")
        }
    }

    private static let examples = ["--json": ".jsonl", "--tracks-csv": ".tracks.csv", "--crops": ".crops"]

    static func isVideo(_ name: String) -> Bool { videos.contains(PartFile.parts(of: name).ending.lowercased()) }

    static func isFolder(_ operand: String) -> Bool {
        var status = stat()
        return PathText.withSystemPath(operand) { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Returns the videos of a folder, sorted by name. If the operand is not a folder, returns the operand itself.
    private static func inputs(_ operand: String) throws -> [String] {
        guard isFolder(operand) else { return [operand] }
        let base = operand.hasSuffix("/") ? operand : operand + "/"
        let names = PartFile.names(in: operand).filter { name in
            // Unfinished recordings are skipped: `NAME.part.EXT`, and `TIMEZ.part2.EXT` of odt watch. Other names with
            // a number, such as `film.part2.mkv`, are usual for complete videos.
            !name.hasPrefix(".") && isVideo(name) && !isUnfinished(PartFile.parts(of: name).stem)
        }
        guard !names.isEmpty else {
            throw CommandLineError("no video in \(operand); its subfolders are not searched.")
        }
        return names.sorted().map { base + $0 }
    }

    private static func isUnfinished(_ stem: String) -> Bool {
        stem.hasSuffix(".part") || stem.firstMatch(of: /Z\.part[0-9]+$/) != nil
    }

    /// Returns the output names without extension, one per input. If several inputs differ only in their extension,
    /// their output names contain the extension of the input. If output names are still equal, a number is appended.
    private static func stems(of inputs: [String]) -> [String] {
        let plain = inputs.map { name(of: $0).stem }
        var endings: [String: Set<String>] = [:]
        for (input, stem) in zip(inputs, plain) { endings[stem, default: []].insert(name(of: input).ending) }
        var used: Set<String> = []
        return zip(inputs, plain).map { input, stem in
            var name = stem.isEmpty ? "video" : stem
            if endings[stem, default: []].count > 1 { name += Self.name(of: input).ending }
            var (unique, number) = (name, 1)
            while !used.insert(unique).inserted {
                number += 1
                unique = "\(name)-\(number)"
            }
            return unique
        }
    }

    /// Returns the file name of an input. For a URI, this is the last component of the path that cannot contain a
    /// password. If there is none, it is derived from the host.
    static func name(of input: String) -> (stem: String, ending: String) {
        guard MediaSource.isAddress(input) else {
            let parts = PartFile.parts(of: input)
            return (parts.stem, parts.ending)
        }
        let path = AddressParts.discreet(input, of: input).split(separator: "/", omittingEmptySubsequences: false)
        guard let last = path.dropFirst(3).last(where: { !$0.isEmpty }) else {
            return (CameraPlan.derivedName(of: input), "")
        }
        return name(of: String(last))
    }

    private static func ending(for input: String) -> String {
        let ending = name(of: input).ending.lowercased()
        return Container.named(ending) == nil ? ".mp4" : ending
    }
}
