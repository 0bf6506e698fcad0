@testable import GstSwiftODT

/// The font that the golden pictures were drawn with.
enum DejaVuSans {
    static let isTheUsualFont: Bool = {
        guard case .replaced(let usual) = NamedFont("Nobodys").find() else { return false }
        return usual == "DejaVu Sans"
    }()
}
