import Glibc
import Playback

/// Examines the V4L2 cameras and whether this user can access them.
@Sendable func examineCameras() -> [Finding] {
    let cameras = PartFile.names(in: "/dev").filter { $0.hasPrefix("video") }.sorted().map { "/dev/" + $0 }
    guard !cameras.isEmpty else { return [.fine("camera", "no /dev/video*; files and network streams work")] }
    return cameras.map { camera in
        if access(camera, R_OK | W_OK) == 0 { return .fine("camera", camera) }
        return .limited(
            "camera", "\(camera) is not accessible to this user: \(String(cString: strerror(errno)))",
            remedy: "'sudo usermod -aG video $USER', then log in again")
    }
}
