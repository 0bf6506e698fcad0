import SwiftODT

/// The web page of a report. The page contains its data and pictures, and loads only clips.
enum ReportPage {
    /// - Parameters:
    ///   - data: The JSON text of ``ReportData``.
    ///   - frame: The background frame as a JPEG file; `nil` if there is no video.
    ///   - pictures: The best pictures as JPEG files, in the order of the tracks; `nil` for a track without a picture.
    ///   - hasClips: Whether the page links to clips. They are the only resources that it may load.
    static func html(title: String, data: [UInt8], hasClips: Bool, frame: [UInt8]?, pictures: [[UInt8]?])
        -> [UInt8]
    {
        var page = Array("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n".utf8)
        page += "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n".utf8
        page += "<meta http-equiv=Content-Security-Policy content=\"\(policy(hasClips: hasClips))\">\n".utf8
        page += "<title>\(TrackExport.escaped(title))</title>\n<style>\n".utf8
        page += PackageResources.shared_css + PackageResources.report_css
        page += "</style>\n".utf8
        page += PackageResources.report_html
        page += "<script type=\"application/json\" id=data>".utf8
        // `<` is escaped, because `</script>` in a text would end the script element.
        for byte in data {
            if byte == UInt8(ascii: "<") { page += "\\u003c".utf8 } else { page.append(byte) }
        }
        page += "</script>\n<script type=\"application/json\" id=pictures>{\"frame\":\"".utf8
        page += (frame.map(Base64.text) ?? "").utf8
        page += "\",\"tracks\":[".utf8
        for (place, picture) in pictures.enumerated() {
            page += (place > 0 ? ",\"" : "\"").utf8
            if let picture { page += Base64.text(picture).utf8 }
            page += "\"".utf8
        }
        page += "]}</script>\n<script>\n".utf8
        for part in script { page += part }
        return page + "</script>\n".utf8
    }

    /// The parts of the page's script. Each part precedes the parts that depend on it.
    private static let script = [
        PackageResources.elements_js, PackageResources.data_js, PackageResources.view_js, PackageResources.labels_js,
        PackageResources.counts_js, PackageResources.timeline_js, PackageResources.zones_js, PackageResources.heat_js,
        PackageResources.gallery_js, PackageResources.clips_js, PackageResources.report_js,
    ]

    /// The Content-Security-Policy of the page. It forbids external resources even if a label contains HTML.
    private static func policy(hasClips: Bool) -> String {
        let images = hasClips ? "img-src data: 'self'; media-src 'self'" : "img-src data:"
        return "default-src 'none'; \(images); style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    }
}

/// The data of the page as JSON text for the page's script. Tables can have thousands of rows. To keep the text small,
/// a row is an array that refers to labels and sources by index.
struct ReportData {
    let title: String
    let file: String
    let video: String?
    let observations: Observations
    let zones: [Zone]
    let clips: [ReportClip]
    /// Whether the last line of the message file was incomplete.
    let isCutOff: Bool

    /// - Parameter tracks: The tracks of ``observations``, in the order of their pictures on the page.
    func json(_ tracks: [ObservedTrack]) -> [UInt8] {
        let start = observations.span?.lowerBound ?? 0
        var members = header(start)
        members["tracks"] = .array(tracks.map { array(of: $0, start) })
        members["heat"] = .array(heat.sorted { $0.key < $1.key }.map { object(of: $0.value, label: $0.key) })
        members["zones"] = .array(observations.zones.map { object(of: $0, start) })
        members["untracked"] = untracked
        return Array(JSONValue.object(members).text.utf8)
    }

    /// The heat maps. With several sources there are none, because each source has another background.
    private var heat: [Int: HeatMap] { observations.sources.count > 1 ? [:] : observations.heat }

    private func header(_ start: Double) -> [String: JSONValue] {
        let end = observations.span?.upperBound ?? 0
        // Sources can have different sizes.
        let size = observations.sources.count > 1 ? (width: 0, height: 0) : observations.size
        var members: [String: JSONValue] = [
            "title": .string(title), "file": .string(file),
            "results": number(observations.resultCount),
            "objects": number(observations.trackCount),
            "length": .number(end - start), "isCutOff": .bool(isCutOff),
            "width": number(size.width), "height": number(size.height),
            "columns": number(HeatMap.columns),
            "labels": .array(observations.labels.map(JSONValue.string)),
            "sources": .array(observations.sources.map(JSONValue.string)),
            "models": .array(observations.models.map(JSONValue.string)),
            "categories": .array((0..<5).map { .string(Category(rawValue: $0)?.name ?? "") }),
            "forgotten": .array(
                observations.forgotten.sorted { $0.key < $1.key }.map {
                    .array([.number(Double($0.key)), .number(Double($0.value.count)), .number($0.value.stay)])
                }),
            "shapes": .array(zones.map(shape)),
            "clips": .array(clips.map { clip($0, start) }),
        ]
        if let video { members["video"] = .string(video) }
        if let utc = observations.utc { members["utc"] = .number(((utc + start) * 1000).rounded()) }
        return members
    }

    private func shape(_ zone: Zone) -> JSONValue {
        .object([
            "name": .string(zone.name), "kind": .string(zone.kind.rawValue),
            "points": .array(zone.points.map { .array([.number($0.x), .number($0.y)]) }),
        ])
    }

    /// Returns a clip as an array: source, recording, begin and end in seconds since `start`, video, picture.
    private func clip(_ clip: ReportClip, _ start: Double) -> JSONValue {
        let numbers = [Double(clip.source), Double(clip.recording), clip.began - start, clip.ended - start]
        let picture = clip.picture.map { JSONValue.string($0) } ?? .null
        return .array(numbers.map { .number($0) } + [.string(clip.video), picture, .bool(clip.isH265)])
    }

    /// Returns a track as an array: id, label, category, first time, last time, best time, best score, path length,
    /// source, reason, recording, classifier label, and for several visits an array of their first and last times. Times
    /// are in seconds since `start`. Unknown numbers are -1.
    private func array(of track: ObservedTrack, _ start: Double) -> JSONValue {
        let (key, best) = (track.key, track.best)
        var row: [JSONValue] = [
            number(key.id), number(track.label), number(track.category), rounded(track.first - start),
            rounded(track.last - start), rounded((best?.time ?? track.first) - start), rounded(best?.score ?? -1),
            .number((track.pathLength ?? -1).rounded()), number(key.source), .string(track.reason),
            number(key.recording), .string(track.classifierLabel),
        ]
        if track.visits.count > 1 {
            row.append(.array(track.visits.map { .array([rounded($0.first - start), rounded($0.last - start)]) }))
        }
        return .array(row)
    }

    private func object(of map: HeatMap, label: Int) -> JSONValue {
        .object([
            "label": number(label), "rows": number(map.rows),
            "cells": .array(map.cells.map { rounded(Double($0), perUnit: 100) }),
        ])
    }

    /// Returns a zone as an object. Each event in it is an array: time, kind, track id, label, dwell time, recording.
    /// Each entry of `byLabel` is an array: label, entered, left, in, out, total dwell time, longest dwell time. Times
    /// are in seconds.
    private func object(of zone: ObservedZone, _ start: Double) -> JSONValue {
        let tallies = zone.byLabel.sorted { $0.key < $1.key }.map { label, tally -> JSONValue in
            let counts = [label, tally.entered, tally.left, tally.in, tally.out]
            return .array(counts.map { number($0) } + [rounded(tally.stayed), rounded(tally.longest)])
        }
        let events = zone.events.map { event -> JSONValue in
            .array([
                rounded(event.time - start), .string(event.kind.rawValue), number(event.id), number(event.label),
                rounded(event.dwell ?? -1), number(event.recording),
            ])
        }
        return .object([
            "name": .string(zone.name), "isLine": .bool(zone.isLine), "eventCount": number(zone.eventCount),
            "source": number(zone.source), "byLabel": .array(tallies), "events": .array(events),
        ])
    }

    /// The objects without tracking ids. Each entry of `times` is an array: label, object-seconds. Each entry of
    /// `series` is an array: label, array of the mean number of objects in each interval of `step` seconds.
    private var untracked: JSONValue {
        let series = observations.untracked
        let times = observations.untrackedTime.sorted { $0.key < $1.key }.map { label, time -> JSONValue in
            .array([number(label), rounded(time, perUnit: 100)])
        }
        let counts = series.sums.sorted { $0.key < $1.key }.map { label, sums -> JSONValue in
            .array([number(label), .array(sums.map { rounded($0 / series.step, perUnit: 100) })])
        }
        return .object([
            "most": number(observations.maximumUntracked), "step": .number(series.step), "times": .array(times),
            "series": .array(counts),
        ])
    }

    private func number(_ value: Int) -> JSONValue { .number(Double(value)) }

    /// Rounds a value to a multiple of 1 / `perUnit`.
    private func rounded(_ value: Double, perUnit scale: Double = 1_000) -> JSONValue {
        .number((value * scale).rounded() / scale)
    }
}

struct ReportError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
