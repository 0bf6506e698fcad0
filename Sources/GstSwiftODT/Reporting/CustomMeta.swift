import CODTGStreamer
import SwiftODT

/// Attaches results to buffers as a `GstCustomMeta` with the name `SwiftOdtMeta`.
///
/// The metadata is tagged as dependent on size and orientation. Elements that keep the picture (converters, encoders)
/// copy the metadata. Elements that scale the picture call ``transform`` to adapt the metadata. Elements that crop,
/// flip or rotate the picture drop it, because the boxes would be wrong.
enum CustomMeta {
    private static let name = "SwiftOdtMeta"

    /// The first access registers the metadata.
    private static let isRegistered: Bool = {
        if gst_meta_get_info(name) != nil { return true }
        let tags: [StaticString] = ["video", "size", "orientation"]
        var list = tags.map { Optional($0.cString) } + [nil]
        return gst_meta_register_custom(name, &list, transform, nil, nil) != nil
    }()

    /// - Parameter buffer: A writable buffer.
    static func attach(_ report: Report, to buffer: UnsafeMutablePointer<GstBuffer>) {
        guard isRegistered, let structure = add(to: buffer) else { return }
        for field in report.fields where field.name != "sequence" {
            StructureWriter.set(field.name, to: field.value, in: structure)
        }
        report.objectList.set("objects", in: structure)
    }

    /// Returns whether another `swiftodt` element upstream attached results.
    static func isAttached(to buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        isRegistered && gst_buffer_get_custom_meta(buffer, name) != nil
    }

    /// Removes the results that another `swiftodt` element upstream attached.
    ///
    /// - Parameter buffer: A writable buffer.
    static func remove(from buffer: UnsafeMutablePointer<GstBuffer>) {
        guard isRegistered else { return }
        while let meta = gst_buffer_get_custom_meta(buffer, name),
            gst_buffer_remove_meta(buffer, UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstMeta.self)) != 0
        {}
    }

    private static func add(to buffer: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstStructure>? {
        gst_buffer_add_custom_meta(buffer, name).flatMap(gst_custom_meta_get_structure)
    }

    // MARK: Copying and scaling

    private static let copying = g_quark_from_string("gst-copy")

    /// Copies or scales the metadata for another buffer. Downstream elements call it on their threads.
    private static let transform: GstCustomMetaTransformFunction = { target, meta, _, kind, data, _ in
        guard let target, let source = meta.flatMap(gst_custom_meta_get_structure) else { return 0 }
        var scaling: Scaling?
        if kind != copying {
            guard kind == gst_video_meta_transform_scale_get_quark(), let data else { return 0 }
            scaling = Scaling(data.assumingMemoryBound(to: GstVideoMetaTransform.self).pointee)
            if scaling == nil { return 0 }
        }
        guard let copy = add(to: target) else { return 0 }
        for number in 0..<gst_structure_n_fields(source) {
            guard let field = gst_structure_nth_field_name(source, UInt32(number)) else { continue }
            gst_structure_set_value(copy, field, gst_structure_get_value(source, field))
        }
        scaling?.apply(to: copy)
        return 1
    }
}

/// The scaling of a picture. It is also applied to the boxes in the metadata of the picture.
private struct Scaling {
    private let width: Int32
    private let height: Int32
    /// The factors by which the width and height of the picture change.
    private let x: Double
    private let y: Double

    /// Returns `nil` if the aspect ratio of the picture changes. In this case borders may have been added at unknown
    /// positions.
    init?(_ transform: GstVideoMetaTransform) {
        guard let from = transform.in_info?.pointee, let to = transform.out_info?.pointee,
            from.width > 0, from.height > 0, to.width > 0, to.height > 0
        else { return nil }
        let (before, after) = (Self.proportions(of: from), Self.proportions(of: to))
        // Sizes are rounded to whole pixels. Aspect ratios therefore count as equal if they differ by no more than two
        // pixels of the shorter side would change them.
        let minimum = Double(min(to.width, to.height, from.width, from.height))
        guard abs(before / after - 1) <= 2 / minimum else { return nil }
        (width, height) = (to.width, to.height)
        (x, y) = (Double(to.width) / Double(from.width), Double(to.height) / Double(from.height))
    }

    private static func proportions(of info: GstVideoInfo) -> Double {
        let pixel = info.par_n > 0 && info.par_d > 0 ? Double(info.par_n) / Double(info.par_d) : 1
        return pixel * Double(info.width) / Double(info.height)
    }

    func apply(to result: UnsafeMutablePointer<GstStructure>) {
        if x == 1, y == 1 { return }
        StructureWriter.set("width", to: .uint(UInt32(width)), in: result)
        StructureWriter.set("height", to: .uint(UInt32(height)), in: result)
        guard let objects = gst_structure_get_value(result, "objects") else { return }
        var scaled = GValue()
        g_value_init(&scaled, gst_value_list_get_type())
        for number in 0..<gst_value_list_get_size(objects) {
            guard let object = gst_value_get_structure(gst_value_list_get_value(objects, number)),
                let copy = gst_structure_copy(object)
            else { continue }
            apply(toObject: copy)
            var item = GValue()
            g_value_init(&item, gst_structure_get_type())
            g_value_take_boxed(&item, copy)
            gst_value_list_append_and_take_value(&scaled, &item)
        }
        gst_structure_take_value(result, "objects", &scaled)
    }

    /// Computes the coordinates in pixels of the new picture from the normalised coordinates.
    private func apply(toObject object: UnsafeMutablePointer<GstStructure>) {
        func real(_ name: String) -> Double {
            var value = 0.0
            return gst_structure_get_double(object, name, &value) != 0 ? value : 0
        }
        let (w, h) = (Double(width), Double(height))
        let box = IntegerBox(
            Box(minX: real("x-min") * w, minY: real("y-min") * h, maxX: real("x-max") * w, maxY: real("y-max") * h),
            pictureWidth: Int(width), pictureHeight: Int(height))
        for (name, value) in [("x", box.x), ("y", box.y), ("width", box.width), ("height", box.height)] {
            StructureWriter.set(name, to: .uint(value), in: object)
        }
        for (name, factor) in [("velocity-x", x), ("velocity-y", y)] {
            StructureWriter.set(name, to: .real(real(name) * factor), in: object)
        }
    }
}
