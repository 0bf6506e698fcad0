import Glibc

/// Cameras, and whether this user may look through them.
@Sendable func examineCameras() -> [Finding] {
    let cameras = FilePath.names(in: "/dev").filter { $0.hasPrefix("video") }.sorted().map { "/dev/" + $0 }
    guard !cameras.isEmpty else { return [.fine("camera", "there is none (/dev/video*); files and streams need none")] }
    return cameras.map { camera in
        if access(camera, R_OK | W_OK) == 0 { return .fine("camera", camera) }
        return .limited(
            "camera", "\(camera) may not be used by this user: \(String(cString: strerror(errno)))",
            remedy: "'sudo usermod -aG video $USER', then log in anew")
    }
}
