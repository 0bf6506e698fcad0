import CODTGStreamer
import CODTGStreamerCheck
import CSwiftODTElement
import ODTTestSupport
import Testing

@testable import GstSwiftODT
@testable import SwiftODT

/// A `swiftodt` element in a GstHarness, with access to its bus.
///
/// A class rather than direct GstHarness calls, because every test needs the bus and typed buffers.
final class ElementHarness {
    typealias Buffer = UnsafeMutablePointer<GstBuffer>

    static let isReady: Bool = {
        gst_init(nil, nil)
        _ = swiftodt_register_linked_element()
        return true
    }()

    let element: UnsafeMutablePointer<GstElement>
    let harness: UnsafeMutablePointer<GstHarness>
    let bus: UnsafeMutablePointer<GstBus>
    private(set) var info = GstVideoInfo()
    private let mismatches = UnsafeMutablePointer<Int>.allocate(capacity: 1)

    /// The number of output buffers whose size differs from the size according to the caps that precede them. Counted
    /// after ``watchBufferSizes()``.
    var mismatchedBuffers: Int { mismatches.pointee }

    /// - Parameters:
    ///   - properties: properties as on a command line, such as `detector=upstream draw=false`.
    ///   - source: replaces the detector.
    ///   - maker: replaces the creation of detectors.
    init(
        _ properties: String = "", source: (@Sendable () -> DetectionSource)? = nil,
        maker: DetectionSource.Maker? = nil
    ) {
        precondition(Self.isReady)
        var error: UnsafeMutablePointer<GError>?
        element = gst_parse_launch("swiftodt \(properties)", &error)
        precondition(error == nil, "cannot make swiftodt \(properties)")
        bus = gst_bus_new()
        var makeSource = maker
        if let source { makeSource = { _, _, _ in source() } }
        if let makeSource { Self.session(of: element).makeSource = makeSource }
        gst_element_set_bus(element, bus)
        harness = gst_harness_new_with_element(element, "sink", "src")
        mismatches.initialize(to: 0)
    }

    /// The Swift object of the element.
    var session: Session { Self.session(of: element) }

    fileprivate static func session(of element: UnsafeMutablePointer<GstElement>) -> Session {
        let session = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstSwiftOdt.self).pointee.session
        return Unmanaged<Session>.fromOpaque(session!).takeUnretainedValue()
    }

    deinit {
        gst_harness_teardown(harness)
        gst_element_set_bus(element, nil)
        gst_object_unref(bus)
        gst_object_unref(element)
        mismatches.deallocate()
    }

    func setCaps(_ format: String = "I420", width: Int = 64, height: Int = 48, extra: String = "") {
        let text = "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=30/1\(extra)"
        gst_harness_set_src_caps_str(harness, text)
        readCaps(text)
    }

    /// Sets the format in which buffers are created.
    func readCaps(_ text: String) {
        let caps = gst_caps_from_string(text)!
        gst_video_info_from_caps(&info, caps)
        gst_mini_object_unref(UnsafeMutableRawPointer(caps).assumingMemoryBound(to: GstMiniObject.self))
    }

    /// Sets a property from its text.
    func set(_ property: String, _ value: String) {
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), property, value)
    }

    /// Returns a buffer of the current format with the time of frame `number` at 30 frames per second.
    ///
    /// - Parameter fill: returns each byte's value by its index; `nil` fills the buffer with grey.
    func buffer(_ number: Int, fill: ((Int) -> UInt8)? = PixelLoops.ramp) -> Buffer {
        let size = Int(info.size)
        let buffer = gst_buffer_new_allocate(nil, gsize(size), nil)!
        if let fill {
            gst_buffer_fill(buffer, 0, PixelLoops.bytes(size, fill), gsize(size))
        } else {
            gst_buffer_memset(buffer, 0, 0x80, gsize(size))
        }
        buffer.pointee.pts = GstClockTime(number) * 33_333_333
        buffer.pointee.duration = 33_333_333
        return buffer
    }

    func addRegion(
        to buffer: Buffer, x: Int, y: Int, width: Int, height: Int, name: String = "cup", confidence: Double = 0.9
    ) {
        let meta = gst_buffer_add_video_region_of_interest_meta(
            buffer, name, UInt32(truncatingIfNeeded: x), UInt32(truncatingIfNeeded: y),
            UInt32(truncatingIfNeeded: width), UInt32(truncatingIfNeeded: height))
        gst_video_region_of_interest_meta_add_param(
            meta, StructureWriter.structure("detection", [("confidence", .real(confidence)), ("label_id", .int(7))]))
    }

    /// Sends an allocation query from upstream, with the current caps.
    func queryAllocation() {
        let caps = gst_pad_get_current_caps(harness.pointee.srcpad)
        let query = gst_query_new_allocation(caps, 1)
        gst_pad_peer_query(harness.pointee.srcpad, query)
        gst_query_unref(query)
        gst_caps_unref(caps)
    }

    /// Links another downstream element, which accepts the given caps.
    func relink(_ caps: String) {
        let (source, sink) = (gst_element_get_static_pad(element, "src"), harness.pointee.sinkpad)
        gst_pad_unlink(source, sink)
        // A new element has received no events.
        gst_pad_set_active(sink, 0)
        gst_pad_set_active(sink, 1)
        gst_harness_set_sink_caps_str(harness, caps)
        gst_pad_link(source, sink)
        gst_object_unref(source)
    }

    func watchBufferSizes() {
        gst_pad_add_probe(
            harness.pointee.sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, probe, count in
                var info = GstVideoInfo()
                let caps = gst_pad_get_current_caps(pad)
                let isVideo = gst_video_info_from_caps(&info, caps) != 0
                if let caps { gst_caps_unref(caps) }
                let size = gst_buffer_get_size(gst_pad_probe_info_get_buffer(probe))
                if !isVideo || info.size != size { count?.assumingMemoryBound(to: Int.self).pointee += 1 }
                return GST_PAD_PROBE_OK
            }, mismatches, nil)
    }

    /// Makes the downstream element refuse all buffers.
    func refuseBuffers(with flow: GstFlowReturn) { GstSwiftODTTests.refuseBuffers(of: harness, with: flow) }

    @discardableResult
    func push(_ buffer: Buffer) -> GstFlowReturn { gst_harness_push(harness, buffer) }

    /// Returns the next output buffer, which the caller releases. Waits for it.
    func pull() -> Buffer? { gst_harness_try_pull(harness) }

    /// Like `pull`, but returns `nil` at once if no buffer is queued.
    func pull(ifThere: Bool) -> Buffer? {
        gst_harness_buffers_in_queue(harness) > 0 ? gst_harness_try_pull(harness) : nil
    }

    /// Removes the output buffers that are queued and returns the numbers of their frames.
    func takeFrameNumbers() -> [Int] {
        var numbers: [Int] = []
        while let buffer = pull(ifThere: true) {
            numbers.append(Int(buffer.pointee.pts) / 33_333_333)
            Self.release(buffer)
        }
        return numbers
    }

    /// Pushes a buffer and pulls the output.
    func pass(_ buffer: Buffer) -> Buffer? {
        push(buffer)
        return pull()
    }

    func flush() {
        gst_harness_push_event(harness, gst_event_new_flush_start())
        endFlush()
    }

    /// Ends a flush and begins a new segment.
    func endFlush() {
        gst_harness_push_event(harness, gst_event_new_flush_stop(1))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_harness_push_event(harness, gst_event_new_segment(&segment))
    }

    static func bytes(of buffer: Buffer) -> [UInt8] {
        let size = gst_buffer_get_size(buffer)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        gst_buffer_extract(buffer, 0, &bytes, size)
        return bytes
    }

    static func release(_ buffer: Buffer?) {
        guard let buffer else { return }
        gst_mini_object_unref(UnsafeMutableRawPointer(buffer).assumingMemoryBound(to: GstMiniObject.self))
    }

    /// Removes all messages of a name from the bus and returns copies of their structures.
    func messages(_ name: String) -> [Structure] {
        var found: [Structure] = []
        while let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT) {
            defer {
                gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self))
            }
            guard let structure = gst_message_get_structure(message) else { continue }
            if String(cString: gst_structure_get_name(structure)) == name {
                found.append(Structure(copying: structure))
            }
        }
        return found
    }

    func takeMessage(_ type: GstMessageType) -> String? { GstSwiftODTTests.takeMessage(type, from: bus) }

    /// Removes the events that the element has sent upstream, and returns the structures of the activities.
    func takeActivities() -> [Structure] {
        var activities: [Structure] = []
        while let event = gst_harness_try_pull_upstream_event(harness) {
            if gst_event_has_name(event, "swiftodt-activity") != 0, let structure = gst_event_get_structure(event) {
                activities.append(Structure(copying: structure))
            }
            gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
        }
        return activities
    }

    func counters() throws -> Structure { try #require(elementStatistics(of: element)) }
}

/// Makes the sink pad of a harness refuse all buffers.
func refuseBuffers(of harness: UnsafeMutablePointer<GstHarness>, with flow: GstFlowReturn) {
    guard let pad = harness.pointee.sinkpad else { return }
    pad.pointee.element_private = UnsafeMutableRawPointer(bitPattern: Int(flow.rawValue) + 100)
    gst_pad_set_chain_function_full(
        pad,
        { pad, _, buffer in
            ElementHarness.release(buffer)
            let flow = Int(bitPattern: pad?.pointee.element_private) - 100
            return GstFlowReturn(rawValue: GstFlowReturn.RawValue(flow))
        }, nil, nil)
}

/// An element that is started without a harness, because a harness requires that the start succeeds.
final class StartedElement {
    let hasStarted: Bool
    private let element: UnsafeMutablePointer<GstElement>
    private let bus: UnsafeMutablePointer<GstBus>

    /// - Parameter maker: replaces the creation of detectors.
    init(_ properties: String, maker: DetectionSource.Maker? = nil) {
        precondition(ElementHarness.isReady)
        element = gst_parse_launch("swiftodt \(properties)", nil)
        if let maker { ElementHarness.session(of: element).makeSource = maker }
        bus = gst_bus_new()
        gst_element_set_bus(element, bus)
        hasStarted = gst_element_set_state(element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_element_set_bus(element, nil)
        gst_object_unref(bus)
        gst_object_unref(element)
    }

    func takeMessage(_ type: GstMessageType) -> String? { GstSwiftODTTests.takeMessage(type, from: bus) }
}

/// A pool with a fixed number of buffers.
final class BoundedPool {
    private let pool: UnsafeMutablePointer<GstBufferPool>

    init(bufferSize: Int, count: Int) {
        precondition(ElementHarness.isReady)
        pool = gst_buffer_pool_new()
        let config = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(config, nil, guint(bufferSize), guint(count), guint(count))
        gst_buffer_pool_set_config(pool, config)
        gst_buffer_pool_set_active(pool, 1)
    }

    deinit {
        gst_buffer_pool_set_active(pool, 0)
        gst_object_unref(pool)
    }

    /// Returns `nil` if all buffers are in use. An element that waits for a buffer would then wait forever.
    func acquire() -> ElementHarness.Buffer? {
        var parameters = GstBufferPoolAcquireParams()
        parameters.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT
        var buffer: ElementHarness.Buffer?
        return gst_buffer_pool_acquire_buffer(pool, &buffer, &parameters) == GST_FLOW_OK ? buffer : nil
    }

    /// The number of buffers that are not in use.
    var freeCount: Int {
        let buffers = Array(sequence(state: (), next: { _ in self.acquire() }))
        for buffer in buffers { ElementHarness.release(buffer) }
        return buffers.count
    }
}

/// The value of the property `stats`.
func elementStatistics(of element: UnsafeMutablePointer<GstElement>) -> Structure? {
    var value = GValue()
    g_value_init(&value, gst_structure_get_type())
    defer { g_value_unset(&value) }
    g_object_get_property(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), "stats", &value)
    return gst_value_get_structure(&value).map { Structure(copying: $0) }
}

/// Returns the text of the first error or warning on a bus.
func takeMessage(_ type: GstMessageType, from bus: UnsafeMutablePointer<GstBus>) -> String? {
    guard let message = gst_bus_pop_filtered(bus, type) else { return nil }
    defer { gst_mini_object_unref(UnsafeMutableRawPointer(message).assumingMemoryBound(to: GstMiniObject.self)) }
    var error: UnsafeMutablePointer<GError>?
    type == GST_MESSAGE_ERROR
        ? gst_message_parse_error(message, &error, nil) : gst_message_parse_warning(message, &error, nil)
    defer { g_error_free(error) }
    return error.map { String(cString: $0.pointee.message) }
}

/// A `GstStructure` owned by the test.
final class Structure {
    let pointer: UnsafeMutablePointer<GstStructure>

    init(copying structure: UnsafePointer<GstStructure>) { pointer = gst_structure_copy(structure) }

    init?(parsing text: String) {
        guard let structure = gst_structure_from_string(text, nil) else { return nil }
        pointer = structure
    }

    deinit { gst_structure_free(pointer) }

    var text: String {
        let text = gst_structure_to_string(pointer)!
        defer { g_free(text) }
        return String(cString: text)
    }

    subscript(uint name: String) -> Int? {
        var value: guint = 0
        return gst_structure_get_uint(pointer, name, &value) != 0 ? Int(value) : nil
    }

    subscript(uint64 name: String) -> UInt64? {
        var value: guint64 = 0
        return gst_structure_get_uint64(pointer, name, &value) != 0 ? UInt64(value) : nil
    }

    subscript(int name: String) -> Int? {
        var value: gint = 0
        return gst_structure_get_int(pointer, name, &value) != 0 ? Int(value) : nil
    }

    subscript(real name: String) -> Double? {
        var value = 0.0
        return gst_structure_get_double(pointer, name, &value) != 0 ? value : nil
    }

    subscript(text name: String) -> String? { gst_structure_get_string(pointer, name).map { String(cString: $0) } }

    subscript(flag name: String) -> Bool? {
        var value: gboolean = 0
        return gst_structure_get_boolean(pointer, name, &value) != 0 ? value != 0 : nil
    }

    subscript(structure name: String) -> Structure? {
        guard let value = gst_structure_get_value(pointer, name), value.pointee.g_type == gst_structure_get_type()
        else { return nil }
        return gst_value_get_structure(value).map { Structure(copying: $0) }
    }

    /// The `object` structures of a message.
    var objects: [Structure] {
        guard let list = gst_structure_get_value(pointer, "objects"), list.pointee.g_type == gst_value_list_get_type()
        else { return [] }
        return (0..<gst_value_list_get_size(list)).compactMap { index in
            gst_value_get_structure(gst_value_list_get_value(list, index)).map { Structure(copying: $0) }
        }
    }
}
