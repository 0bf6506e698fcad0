import CVersion
import Playback

/// GStreamer itself.
@Sendable func examineGStreamer() -> [Finding] {
    do {
        return [.fine("GStreamer", try PluginSearch.startGStreamer())]
    } catch {
        return [.missing("GStreamer", "\(error)", remedy: "install gstreamer1.0-tools and gstreamer1.0-plugins-base")]
    }
}

/// The plugin: found and of this version, or why not.
@Sendable func examinePlugin() -> [Finding] {
    // A program that was installed comes from a package, an archive or a checkout; which, it cannot tell.
    let remedy =
        FetchProgram.areInstalled
        ? "install the package gstreamer1.0-swiftodt; what was not installed by packages: run the archive's ./install, or "
            + "Pipelines/setup --install, again"
        : "Pipelines/setup --install puts it where GStreamer looks"
    switch PluginState.query() {
    case .found(let file, let version) where version == SWIFTODT_VERSION:
        return [.fine("plugin", "\(file), \(version)")]
    case .found(let file, let version):
        return [
            .limited("plugin", "\(file) is version \(version), and this odt is \(SWIFTODT_VERSION)", remedy: remedy)
        ]
    case .refused(let file):
        return [
            .missing(
                "plugin", "\(file) cannot be loaded: \(reason(against: file))",
                remedy: "\(remedy); what it needs of the system comes with it")
        ]
    case .absent(let folders):
        return [.missing("plugin", "it is in none of \(folders.joined(separator: ", "))", remedy: remedy)]
    }
}

/// Asks a process of its own, which a damaged file may end.
private func reason(against file: String) -> String {
    do {
        var other = try ChildProcess("/proc/self/exe", ["doctor", "--try", file], readsOutput: true)
        let text = other.output().trimmed
        let code = try other.exitCode()
        if code > 128 { return "whoever loads it ends with signal \(code - 128), the file is damaged" }
        return text.isEmpty ? "GStreamer does not say why" : text
    } catch {
        return "\(error)"
    }
}

extension String {
    fileprivate var trimmed: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
