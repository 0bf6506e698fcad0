import Playback

/// The options of `--page`.
struct PageOptions: Sendable {
    static let names: Set<String> = ["page", "page-token-file", "page-trusted-proxy"]
    static let files: Set<String> = ["page-token-file"]
    static let help = """
            --page [ADDRESS:]PORT
                               serve a live page with annotated video, objects, counts and events. Without ADDRESS only for this
                               machine; another ADDRESS (0.0.0.0: all of this machine) requires a token, which is printed with
                               the page's address
            --page-token-file FILE
                               read the token from FILE, or create FILE; default: a new token at each start
            --page-trusted-proxy ADDRESS[/BITS],...
                               reverse proxies in front of the page, whose X-Forwarded-For header names the client
        """

    let address: PageAddress
    let tokenFile: String?
    let trustedProxies: TrustedProxies

    /// - Returns: `nil` without `--page`.
    /// - Throws: ``CommandLineError`` or ``PlaybackError`` if an option is invalid.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "page")
        guard let text = options.text("page") else { return nil }
        tokenFile = options.text("page-token-file")
        trustedProxies =
            try options.text("page-trusted-proxy").map {
                try TrustedProxies($0, called: options.called("page-trusted-proxy"))
            } ?? TrustedProxies()
        address = try PageAddress(text, called: options.called("page"))
    }
}
