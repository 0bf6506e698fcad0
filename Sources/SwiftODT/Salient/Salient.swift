public enum Salient {
    public static func decoder(for: NetworkDescription, manifest: ModelManifest?) throws -> any DetectionDecoder { throw DetectorError(.unsupported, "") }
}
