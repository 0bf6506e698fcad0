import SwiftODT

print("odt")
