/// Implements `odt watch --page`: serves live pictures, counts and events to browsers.
final class LivePage: WatchSink {
    private let board: CameraBoard
    private let recordings: PageRecordings
    private let pictures = NewestPictures()
    private let server: PageServer

    init(
        _ options: PageOptions, _ metrics: MetricsBoard, cameras: [String], recordings: PageRecordings,
        notify: (String) -> Void
    ) throws {
        board = CameraBoard(cameras)
        self.recordings = recordings
        server = try PageServer(
            "page", at: options.address, path: "", tokenFile: options.tokenFile, options.trustedProxies,
            PageContent(board: board, metrics: metrics, recordings: recordings), pictures: pictures, notify: notify)
    }

    func start() throws { try server.start() }

    func take(_ message: WatchMessage) { board.take(message) }

    func take(_ clip: SavedClip, of camera: String) { board.take(clip, of: camera) }

    func use(_ cameras: [ConfiguredCamera]) {
        recordings.use(cameras)
        board.show(cameras.map(\.name))
        pictures.discard()
    }

    /// Discards the camera's picture when its connection has ended, because the next connection may have redaction.
    func end(of camera: String) { pictures.discard(of: camera) }

    /// Returns whether a client views this camera at the moment. Does not block.
    func wantsPictures(of camera: String) -> Bool { pictures.areWanted(of: camera) }

    /// Receives an annotated picture as a JPEG file. After the configuration was read again, the earlier connection of
    /// a camera can still deliver pictures. They are ignored if the redaction has changed.
    func take(picture jpeg: [UInt8], of camera: String, redaction: RedactionFilter) {
        pictures.put(PagePicture(jpeg), of: camera) { recordings.permits(redaction, of: camera) }
        server.wake()
    }

    func close() { server.close() }
}

/// The HTML document of the live page. The page loads data only from this server.
enum PageDocument {
    /// - Parameter nonce: A random value, new for each response. It permits the page's own style and script.
    static func html(nonce: String) -> [UInt8] {
        var page = Array("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n".utf8)
        page += "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n".utf8
        page += "<link rel=icon href=\"data:,\">\n<title>odt watch</title>\n<style nonce=\"\(nonce)\">\n".utf8
        page += PackageResources.shared_css + PackageResources.watch_css
        page += "</style>\n".utf8
        page += PackageResources.watch_html
        page += "<script nonce=\"\(nonce)\">\n".utf8
        for part in script { page += part }
        return page + "</script>\n".utf8
    }

    /// The parts of the page's script. Each part precedes the parts that depend on it.
    private static let script = [
        PackageResources.elements_js, PackageResources.words_js, PackageResources.server_js,
        PackageResources.pictures_js, PackageResources.objects_js, PackageResources.history_js,
        PackageResources.events_js, PackageResources.player_js, PackageResources.overlay_js, PackageResources.watch_js,
    ]

    /// The Content-Security-Policy of the page. It forbids other scripts and external resources even if a label or name
    /// contains HTML.
    static func policy(nonce: String) -> String {
        "default-src 'none'; img-src 'self' blob: data:; media-src 'self'; connect-src 'self'; style-src 'nonce-\(nonce)'; "
            + "script-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }
}
