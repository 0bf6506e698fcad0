import CPages

/// The HTML document of the live page, which loads only data of this server. Its parts are the files in
/// `CShims/CPages`.
enum PageDocument {
    /// - Parameter nonce: A random value that permits the page's own style and script; new for each response.
    static func html(nonce: String) -> [UInt8] {
        var page = Array("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n".utf8)
        page += "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n".utf8
        page += "<link rel=icon href=\"data:,\">\n<title>odt watch</title>\n<style nonce=\"\(nonce)\">\n".utf8
        page += swiftodt_watch_page_style().bytes
        page += "</style>\n".utf8
        page += swiftodt_watch_page_body().bytes
        page += "<script nonce=\"\(nonce)\">\n".utf8
        page += swiftodt_watch_page_script().bytes
        return page + "</script>\n".utf8
    }

    /// The Content-Security-Policy, under which no other script runs and no external resource loads even if a label
    /// or name contains HTML.
    static func policy(nonce: String) -> String {
        "default-src 'none'; img-src 'self' blob: data:; connect-src 'self'; style-src 'nonce-\(nonce)'; "
            + "script-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }
}
