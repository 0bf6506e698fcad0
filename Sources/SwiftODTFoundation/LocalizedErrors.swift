import Foundation
import SwiftODT

// Foundation's `localizedDescription` of any other error is "The operation could not be completed. (SwiftODT.ODTError error 1.)". The conformances
// cannot be in SwiftODT, which the plugin contains: they would link Foundation into it.

extension ODTError: LocalizedError {
    public var errorDescription: String? { description }
}

extension VisionDroppedError: LocalizedError {
    public var errorDescription: String? { description }
}
