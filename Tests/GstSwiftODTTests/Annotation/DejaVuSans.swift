@testable import GstSwiftODT

/// The font of the golden images.
enum DejaVuSans {
    static let isTheUsualFont: Bool = {
        guard case .replaced(let usual) = NamedFont("Nobodys").find() else { return false }
        return usual == "DejaVu Sans"
    }()
}
