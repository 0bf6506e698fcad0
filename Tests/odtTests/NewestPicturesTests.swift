import SwiftODT
import Testing

@testable import odt

@Suite("NewestPictures")
struct NewestPicturesTests {
    private let pictures = NewestPictures()

    @Test func oldPictureIsNotFresh() {
        let picture = PagePicture([0xff, 0xd8])
        pictures.put(picture, of: "cam")
        #expect(pictures.fresh(of: "cam", at: picture.time) === picture)
        #expect(pictures.fresh(of: "cam", at: picture.time + 500_000_000) == nil)
    }

    @Test func pictureThatIsNotPermittedIsIgnored() {
        pictures.put(PagePicture([0xff, 0xd8]), of: "cam") { false }
        #expect(pictures.newest(of: "cam") == nil)
    }

    @Test func discardedPicturesAreForgottenAndViewersStay() {
        for camera in ["a", "b"] {
            pictures.addViewer(at: camera)
            pictures.put(PagePicture([0xff, 0xd8]), of: camera)
        }
        pictures.discard(of: "a")
        #expect(pictures.newest(of: "a") == nil)
        #expect(pictures.newest(of: "b") != nil)
        pictures.discard()
        #expect(pictures.newest(of: "b") == nil)
        #expect(pictures.areWanted(of: "a") && pictures.areWanted(of: "b"))
    }
}
