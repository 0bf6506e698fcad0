struct MetricsOptions: Sendable {
    static let names: Set<String> = ["metrics", "metrics-token-file"]
    static let files: Set<String> = ["metrics-token-file"]
    static let help = """
          --metrics [ADDRESS:]PORT
                             serve metrics for Prometheus at /metrics, and /healthz. Without ADDRESS only for this machine;
                             another ADDRESS requires a token. --page serves both paths, too
          --metrics-token-file FILE
                             read the token from FILE, or create FILE; default: a new token at each start
        """

    let address: PageAddress
    let tokenFile: String?

    /// - Returns: `nil` if `--metrics` is not given.
    init?(_ options: WatchOptions) throws {
        try options.refuse(Self.names, without: "metrics")
        guard let text = options.text("metrics") else { return nil }
        tokenFile = options.text("metrics-token-file")
        address = try PageAddress(text, called: options.called("metrics"))
    }

    /// Returns a server of metrics without a page.
    func server(_ metrics: MetricsBoard, notify: (String) -> Void) throws -> PageServer {
        try PageServer(
            "metrics", at: address, path: "metrics", tokenFile: tokenFile, TrustedProxies(),
            PageContent(metrics: metrics), pictures: NewestPictures(), notify: notify)
    }
}
