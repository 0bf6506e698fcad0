import CPages

/// The page itself: one document that loads nothing but what this program tells and shows. Its parts are the files in
/// `CShims/CPages`.
enum PageDocument {
    /// - Parameter nonce: what marks the page's own style and script, other than any before.
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

    /// Whatever a label or a name says, no other script runs, and nothing comes from elsewhere.
    static func policy(nonce: String) -> String {
        "default-src 'none'; img-src 'self' blob: data:; connect-src 'self'; style-src 'nonce-\(nonce)'; "
            + "script-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    }
}
