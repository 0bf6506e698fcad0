// `ablation` appends this file to a copy of TrackerTuning.swift, in which the constants call `scaled`.

import Glibc

/// The factors of the environment variable SWIFTODT_FACTORS, for example `weakOverlap*0.7 jitterCorrelation*2`.
private let factors = Dictionary(
    uniqueKeysWithValues: (getenv("SWIFTODT_FACTORS").map { String(cString: $0) } ?? "").split(separator: " ").map {
        let parts = $0.split(separator: "*")
        return (String(parts[0]), Double(parts[1])!)
    })

private func scaled(_ name: String, _ value: Double) -> Double { value * (factors[name] ?? 1) }

private func scaled(_ name: String, _ value: Float) -> Float { Float(Double(value) * (factors[name] ?? 1)) }

private func scaled(_ name: String, _ value: Int) -> Int { Int((Double(value) * (factors[name] ?? 1)).rounded()) }

private func scaled(_ name: String, _ value: Nanoseconds) -> Nanoseconds {
    Nanoseconds((Double(value) * (factors[name] ?? 1)).rounded())
}

private func scaled(_ name: String, _ value: SIMD4<Double>) -> SIMD4<Double> { value * (factors[name] ?? 1) }
