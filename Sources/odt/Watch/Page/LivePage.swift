import Playback
import SwiftODT

/// `odt watch --page`: serves live pictures, counts and events to browsers.
final class LivePage: PictureSink {
    let picturesPerSecond = 10

    private let board: CameraBoard
    private let pictures = NewestPictures()
    private let server: PageServer

    /// - Throws: ``PlaybackError`` or ``CommandLineError`` if the page cannot be served at this address.
    init(_ options: PageOptions, cameras: [String], notify: @escaping @Sendable (String) -> Void) throws {
        let soup = try Soup()
        let given = try options.tokenFile.map(PageToken.init(file:))
        let socket = try PageSocket(options.address)
        let token = given ?? (socket.isLoopback ? nil : PageToken.random())
        board = CameraBoard(cameras)
        server = try PageServer(
            soup, socket, PageAuthorizer(token: token, port: socket.port), options.trustedProxies, board: board,
            pictures: pictures)
        let query = token.map { "?token=" + (given == nil ? $0.text : "...") } ?? ""
        let urls = socket.hosts.map { "http://\(PageAddress.written($0, socket.port))/\(query)" }
        notify(
            "the page is at " + urls.joined(separator: " and ")
                + (options.tokenFile.map { ", with the token in \($0)" } ?? ""))
    }

    func take(_ message: WatchMessage) { board.take(message) }

    func wantsPictures(of camera: String) -> Bool { pictures.areWanted(of: camera) }

    func take(picture jpeg: [UInt8], of camera: String) {
        pictures.put(PagePicture(jpeg), of: camera)
        server.wake()
    }

    func close() { server.close() }
}
