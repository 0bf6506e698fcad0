import CVersion
import Playback

/// Examines GStreamer itself.
@Sendable func examineGStreamer() -> [Finding] {
    do {
        return [.fine("GStreamer", try PluginSearch.startGStreamer())]
    } catch {
        return [.missing("GStreamer", "\(error)", remedy: "install gstreamer1.0-tools and gstreamer1.0-plugins-base")]
    }
}

/// Examines whether the plugin can be loaded and has the version of this program.
@Sendable func examinePlugin() -> [Finding] {
    // An installed program can come from a package, an archive or a checkout, which is not recorded anywhere.
    let remedy =
        FetchProgram.areInstalled
        ? "install the package gstreamer1.0-swiftodt, or run ./install of the archive or Pipelines/setup --install "
            + "of the checkout again"
        : "run Pipelines/setup --install, which installs it in GStreamer's plugin folder"
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
                remedy: "\(remedy); this also installs the libraries that it needs")
        ]
    case .absent(let folders):
        return [.missing("plugin", "not found in \(folders.joined(separator: ", "))", remedy: remedy)]
    }
}

/// Returns why the plugin cannot be loaded. A child process tries it, because a damaged file can crash the process.
private func reason(against file: String) -> String {
    do {
        var other = try ChildProcess("/proc/self/exe", ["doctor", "--try", file], readsOutput: true)
        let text = other.output().trimmed
        let code = try other.exitCode()
        if code > 128 { return "loading it crashes with signal \(code - 128), so the file is damaged" }
        return text.isEmpty ? "GStreamer reports no reason" : text
    } catch {
        return "\(error)"
    }
}

extension String {
    fileprivate var trimmed: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
