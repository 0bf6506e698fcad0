import CGStreamer
import SwiftODT
