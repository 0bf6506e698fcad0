import Testing

@testable import GstSwiftODT
