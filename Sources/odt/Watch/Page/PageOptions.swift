import Playback

/// `--page` and what belongs to it.
struct PageOptions: Sendable {
    static let names: Set<String> = ["page", "page-token-file", "page-trusted-proxy"]
    static let files: Set<String> = ["page-token-file"]
    static let help = """
          --page [ADDRESS:]PORT
                             a page for browsers: what the cameras see, who is there, what happens. For this machine alone, unless ADDRESS is
                             another one (0.0.0.0: all of its own); then it asks for a token, with which its address is printed
          --page-token-file FILE
                             where that token is kept; without FILE there is a new one at each start
          --page-trusted-proxy ADDRESS[/BITS],...
                             a reverse proxy before the page: the X-Forwarded-For header of these addresses names the client
        """

    let address: PageAddress
    let tokenFile: String?
    let trustedProxies: TrustedProxies

    /// - Returns: `nil` where there is to be no page.
    /// - Throws: ``CommandLineError`` or ``PlaybackError`` that says what is wrong.
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
