public import Editions
import Library
import Quran
public import QuranEnc
import RecordClient
import Sync
import Text

// The sentences for texts of the Quran, and for the reasons why they cannot be used.
extension Messages {
  /// Returns the title of a text. For the bundled text, adds that it was not reviewed by scholars.
  public func fullTitle(of info: Edition.Info) -> String {
    info.isBundled ? "\(bundledTitle) – \(notReviewed)" : title(of: info)
  }

  /// Returns the title of a text, without any remark. The Arabic text is named in the current
  /// language, because its own title is Arabic.
  public func title(of info: Edition.Info) -> String {
    if info.isBundled { return bundledTitle }
    if info.isHafs { return pick("Nguyên văn Ả Rập · Hafs", "Arabic original · Hafs") }
    return info.title.isEmpty ? info.id : info.title.sanitizedLine
  }

  /// Returns the ID of an edition or, for the bundled one, the remark that it is not reviewed. Used
  /// where there is room for only one of them.
  public func idOrRemark(of info: Edition.Info) -> String {
    info.isBundled ? notReviewedShort : info.id
  }

  /// Returns the title of a text; for the bundled text with the remark that it is not reviewed, in
  /// fewer words than `fullTitle`.
  public func titleWithRemark(of info: Edition.Info) -> String {
    titleAndRemark(of: info).joined(separator: " – ")
  }

  /// Returns the parts of `titleWithRemark`: the title and, for the bundled text, the remark.
  public func titleAndRemark(of info: Edition.Info) -> [String] {
    [title(of: info)] + (info.isBundled ? [notReviewedShort] : [])
  }

  /// Returns the title, the publisher and the version of a text, or for the bundled text its full
  /// title.
  public func credit(of info: Edition.Info) -> String {
    guard !info.isBundled else { return fullTitle(of: info) }
    let publisher = info.publisher.isEmpty || info.publisher == info.title ? "" : info.publisher
    let version = info.version.isEmpty ? "" : pick("bản \(info.version)", "version \(info.version)")
    return [title(of: info), publisher, version].filter { !$0.isEmpty }.map(\.sanitizedLine)
      .joined(separator: ", ")
  }

  /// Returns the metadata of a text, as names and values. Values can have several lines.
  public func provenance(
    of info: Edition.Info, hasFootnotes: Bool
  ) -> [(name: String, text: String)] {
    let facts: [(String, String)] = [
      (pick("Bản văn", "Text"), fullTitle(of: info)),
      (pick("Mã", "ID"), info.id),
      (pick("Loại", "Kind"), name(of: info.kind)),
      (pick("Ngôn ngữ", "Language"), info.language),
      (pick("Người dịch", "Translator"), info.kind == .original ? "" : info.translator),
      (pick("Nhà xuất bản", "Publisher"), info.publisher),
      (pick("Nguồn", "Source"), info.source),
      (pick("Phiên bản", "Version"), info.version),
      (
        pick("Cài ngày", "Installed"),
        info.installedAt.map { LocalTime($0).description }
          ?? pick("có sẵn trong chương trình", "part of the program")
      ),
      (termsName, terms(of: info)),
      (pick("Chú thích", "Footnotes"), hasFootnotes ? pick("có", "yes") : pick("không", "none")),
      ("SHA-256", info.sourceChecksum),
      (pick("Lời dẫn", "Notes"), info.notes),
    ]
    return facts.filter { !$0.1.isEmpty }.map { (name: $0.0, text: $0.1) }
  }

  /// The label of the terms of a text.
  public var termsName: String { pick("Điều kiện", "Terms") }

  private func name(of kind: Edition.Kind) -> String {
    switch kind {
    case .translation: pick("bản dịch ý nghĩa", "translation of the meanings")
    case .original: pick("nguyên văn tiếng Ả Rập", "the Arabic text")
    case .commentary: pick("chú giải", "commentary")
    case .transliteration: pick("phiên âm", "transliteration")
    }
  }

  /// Returns the terms under which a text was published.
  public func terms(of info: Edition.Info) -> String {
    switch info.licence {
    case "": pick("không rõ", "unknown")
    case "QuranEnc":
      pick(
        "QuranEnc.com: giữ nguyên văn; ghi rõ nhà xuất bản và nguồn QuranEnc.com; ghi số phiên bản;"
          + " giữ phần giới thiệu kèm theo; dùng bản mới nhất; báo lỗi cho QuranEnc.com; không đặt"
          + " cạnh quảng cáo không phù hợp.",
        "QuranEnc.com: the text is not changed; the publisher and the source QuranEnc.com are"
          + " named; the version is stated; the accompanying information is kept; the latest version"
          + " is used; QuranEnc.com is told of mistakes; no inappropriate advertisements.")
    case "Tanzil":
      pick(
        "Tanzil.net: giữ nguyên văn; ghi nguồn Tanzil.net.",
        "Tanzil.net: the text is not changed; the source Tanzil.net is named.")
    default: info.licence.sanitizedLine
    }
  }

  // MARK: Files that are not editions

  /// Explains why a file is not an edition that can be installed.
  ///
  /// - Parameters:
  ///   - failure: The reason.
  ///   - name: The name of the file, or of the service, as the user knows it.
  public func explain(_ failure: EditionFailure, in name: String) -> String {
    let name = name.sanitizedLine
    switch failure {
    case .unknownFormat:
      return pick(
        "“\(name)” không phải một bản văn Kinh Quran ở dạng đọc được (Tanzil, QuranEnc, quran.json"
          + " của ứng dụng điện thoại, quran-text, quran-api).",
        "“\(name)” is not a text of the Quran in a known format (Tanzil, QuranEnc, the phone app's"
          + " quran.json, quran-text, quran-api).")
    case .tooLarge(let limit):
      return pick(
        "“\(name)” quá lớn: tối đa \(limit >> 20) MB.",
        "“\(name)” is too large: the limit is \(limit >> 20) MB.")
    case .tooLargeUnpacked(let limit):
      return pick(
        "“\(name)” giải nén ra quá lớn: tối đa \(limit >> 20) MB.",
        "“\(name)” is too large when decompressed: the limit is \(limit >> 20) MB.")
    case .damagedArchive:
      return pick("“\(name)” là tệp nén bị hỏng.", "“\(name)” is a damaged archive.")
    case .unsupportedArchive:
      return pick(
        "“\(name)” là tệp zip có mật khẩu, bị chia nhỏ hoặc nén theo cách không đọc được; hãy giải"
          + " nén trước.",
        "“\(name)” is a zip file that is encrypted, split or compressed in a way that is not"
          + " supported; unpack it first.")
    case .notUTF8(let offset, let line):
      return pick(
        "“\(name)” không phải UTF-8: dòng \(line), byte \(offset).",
        "“\(name)” is not UTF-8: line \(line), byte \(offset).")
    case .malformed(let format, let line):
      return pick(
        "“\(name)” sai định dạng \(self.name(of: format)) ở dòng \(line).",
        "“\(name)” is not valid \(self.name(of: format)) on line \(line).")
    case .invalidJSON(let path):
      let place =
        path.isEmpty ? "" : pick(" ở “\(path.sanitizedLine)”", " at “\(path.sanitizedLine)”")
      return pick("“\(name)” là JSON không hợp lệ\(place).", "“\(name)” is invalid JSON\(place).")
    case .tooDeep(let limit):
      return pick(
        "“\(name)” lồng quá \(limit) tầng.", "“\(name)” is nested more than \(limit) levels deep.")
    case .tooManyValues(let limit):
      return pick(
        "“\(name)” có hơn \(limit) giá trị.", "“\(name)” has more than \(limit) values.")
    case .tooManyAyahs(let limit):
      return pick(
        "“\(name)” có hơn \(limit) câu; Kinh Quran có \(AyahID.count) câu.",
        "“\(name)” has more than \(limit) ayahs; the Quran has \(AyahID.count).")
    case .controlCharacter(let ayah, let scalar):
      let code = "U+" + String(scalar.value, radix: 16, uppercase: true).leftPadded(to: 4)
      return pick(
        "“\(name)” có ký tự điều khiển \(code) ở câu \(ayah).",
        "“\(name)” has the control character \(code) in ayah \(ayah).")
    case .ayahTooLong(let ayah, let limit):
      return pick(
        "“\(name)”: câu \(ayah) dài hơn \(limit >> 10) kB.",
        "“\(name)”: ayah \(ayah) is longer than \(limit >> 10) kB.")
    case .faults(let faults):
      return pick(
        "“\(name)” không phải đúng \(AyahID.count) câu của Kinh Quran: \(list(faults)).",
        "“\(name)” does not have exactly the \(AyahID.count) ayahs of the Quran: \(list(faults)).")
    }
  }

  /// Returns the complete list of the ayahs that a text lacks or has in excess.
  private func list(_ faults: EditionFaults) -> String {
    [
      (faults.missing.ranges, pick("thiếu", "missing")),
      (faults.extra.ranges, pick("thừa", "extra")),
      (faults.repeated.ranges, pick("lặp lại", "repeated")),
      (faults.empty.ranges, pick("trống", "empty")),
    ].filter { !$0.0.isEmpty }.map { "\($0.1) \($0.0)" }.joined(separator: "; ")
  }

  /// Returns the name of a format, for use within a sentence.
  private func name(of format: EditionFormat) -> String {
    switch format {
    case .tanzilText: pick("văn bản Tanzil (chương|câu|chữ)", "Tanzil text (surah|ayah|text)")
    case .ayahLines: pick("mỗi câu một dòng", "text with one ayah a line")
    case .tanzilXML: pick("XML của Tanzil", "Tanzil XML")
    case .quranEncXML: pick("XML của QuranEnc", "QuranEnc XML")
    case .quranEncCSV: pick("CSV của QuranEnc", "QuranEnc CSV")
    case .quranEncJSON: pick("JSON của QuranEnc", "QuranEnc JSON")
    case .phoneAppJSON: pick("JSON của ứng dụng điện thoại", "JSON of the phone app")
    case .mushafJSON: pick("JSON của quran-text", "JSON of quran-text")
    case .chapterVerseJSON: pick("JSON của quran-api", "JSON of quran-api")
    }
  }

  // MARK: Installed editions

  /// Explains why an edition cannot be opened, installed, chosen or removed.
  public func explain(_ failure: EditionFileFailure) -> String {
    let file = failure.file.sanitizedLine
    let id = file.hasSuffix(".edition") ? String(file.dropLast(8)) : file
    func damaged(_ reason: String) -> String {
      pick(
        "Bản “\(id)” không dùng được (\(reason)); hãy cài lại: quran-vi text install",
        "The text “\(id)” cannot be used (\(reason)); install it again: quran-vi text install")
    }
    return switch failure.reason {
    case .notFound:
      pick(
        "Không có bản “\(id)”; xem: quran-vi text list",
        "There is no text “\(id)”; see: quran-vi text list")
    case .invalidID:
      pick(
        "“\(id)” không thể là mã của một bản: chỉ dùng a–z, 0–9 và . _ - (tối đa 64 ký tự).",
        "“\(id)” cannot be the ID of a text: use a–z, 0–9 and . _ - (at most 64 characters).")
    case .bundled:
      pick(
        "Bản kèm theo chương trình (\(id)) luôn có đó; không thay hay gỡ được.",
        "The text that comes with the program (\(id)) is always there; it cannot be replaced or"
          + " removed.")
    case .shared:
      pick(
        "Bản “\(id)” thuộc bản cài đặt chung của chương trình, không gỡ riêng được.",
        "The text “\(id)” belongs to the installation of the program and cannot be removed"
          + " separately.")
    case .noDirectory:
      pick(
        "Không có thư mục nhà (HOME) nên không có chỗ giữ các bản văn.",
        "There is no home directory (HOME), so there is no place for texts.")
    case .system(let code):
      pick(
        "Không đọc hay ghi được các bản văn\(id.isEmpty ? "" : " (\(id))"): \(systemError(code)).",
        "The texts\(id.isEmpty ? "" : " (\(id))") cannot be read or written: \(systemError(code)).")
    case .notRegularFile: damaged(pick("không phải tệp thường", "it is not a regular file"))
    case .notAnEdition:
      damaged(pick("tệp không phải của chương trình", "not a file of the program"))
    case .otherVersion(let version, let supported):
      damaged(
        pick(
          "định dạng \(version), chương trình đọc định dạng \(supported)",
          "format \(version), the program reads format \(supported)"))
    case .tooLarge(let limit):
      damaged(pick("lớn hơn \(limit >> 20) MB", "larger than \(limit >> 20) MB"))
    case .wrongSize(let size, let expected):
      damaged(pick("có \(size) trên \(expected) byte", "it has \(size) of \(expected) bytes"))
    case .wrongChecksum: damaged(pick("tệp bị hỏng", "the file is damaged"))
    case .wrongMetadata: damaged(pick("phần mô tả bị hỏng", "its description is damaged"))
    case .otherID(let other):
      damaged(
        pick("tệp chứa bản “\(other.sanitizedLine)”", "it has the text “\(other.sanitizedLine)”"))
    case .wrongTable: damaged(pick("bảng vị trí bị hỏng", "its table is damaged"))
    case .emptyAyah(let ayah): damaged(pick("câu \(ayah) trống", "ayah \(ayah) is empty"))
    case .notUTF8: damaged(pick("không phải UTF-8", "it is not UTF-8"))
    case .controlCharacter: damaged(pick("có ký tự điều khiển", "it has a control character"))
    }
  }

  // MARK: Downloads

  /// Explains why editions could not be downloaded, installed or updated.
  public func explain(_ failure: EditionInstallFailure) -> String {
    switch failure {
    case .download(let failure, let isPartKept):
      explain(failure) + (isPartKept ? downloadContinues : "")
    case .edition(let failure): explain(failure, in: "QuranEnc.com")
    case .file(let failure): explain(failure)
    }
  }

  /// Explains why a text could not be downloaded.
  public func explain(_ failure: DownloadFailure) -> String {
    switch failure {
    case .address(let problem): explain(ClientFactory.Problem.address(problem))
    case .environment(let problem): explain(ClientFactory.Problem.environment(problem))
    case .unreachable(let problem):
      pick(
        "Không đến được QuranEnc.com (\(explain(problem))).",
        "QuranEnc.com cannot be reached (\(explain(problem))).")
    case .interrupted(let problem):
      pick(
        "QuranEnc.com không trả lời hết (\(explain(problem))).",
        "QuranEnc.com did not answer completely (\(explain(problem))).")
    case .status(let status):
      pick(
        "QuranEnc.com báo lỗi \(status).", "QuranEnc.com answered with the error \(status).")
    case .unexpectedResponse:
      pick(
        "Câu trả lời không phải của QuranEnc.com; kiểm tra proxy và mạng.",
        "The answer did not come from QuranEnc.com; check the proxy and the network.")
    case .unreadableCatalog:
      pick(
        "Không hiểu danh sách các bản dịch của QuranEnc.com.",
        "The list of translations of QuranEnc.com is not understood.")
    case .notListed(let key):
      pick(
        "QuranEnc.com không có bản “\(key.sanitizedLine)”.",
        "QuranEnc.com has no translation “\(key.sanitizedLine)”.")
    case .unusableResponse(let surah, .faults(let faults)):
      pick(
        "Câu trả lời của QuranEnc.com cho chương \(surah) không có đúng các câu của chương: "
          + "\(list(faults)).",
        "The answer of QuranEnc.com for surah \(surah) does not have exactly its ayahs: "
          + "\(list(faults)).")
    case .unusableResponse(let surah, let failure):
      explain(failure, in: "QuranEnc.com, \(self.surah) \(surah)")
    case .changed:
      pick(
        "QuranEnc.com vừa ra phiên bản mới trong lúc tải; hãy tải lại.",
        "QuranEnc.com published a new version meanwhile; download it again.")
    case .busy:
      pick(
        "Một tiến trình khác đang tải bản này.", "Another process is downloading this text.")
    case .storage(let code):
      pick(
        "Không giữ được phần đã tải (\(systemError(code))).",
        "What was downloaded cannot be kept (\(systemError(code))).")
    case .cancelled: pick("Đã dừng tải.", "The download was stopped.")
    }
  }

  /// Says that an interrupted download continues later.
  private var downloadContinues: String {
    pick(
      " Phần nào đã tải vẫn được giữ; lần sau tải tiếp.",
      " The part that was downloaded is kept; the next download continues from there.")
  }
}

extension [EditionFaults.ExtraAyah] {
  /// The numbers as references, such as `1:8-9, 115:1`.
  fileprivate var ranges: String {
    var texts: [String] = []
    var rest = self[...]
    while let first = rest.first {
      var last = first.ayah
      rest = rest.dropFirst()
      while let next = rest.first, next.surah == first.surah, [last, last + 1].contains(next.ayah) {
        last = next.ayah
        rest = rest.dropFirst()
      }
      texts.append(last == first.ayah ? "\(first)" : "\(first)-\(last)")
    }
    return texts.joined(separator: ", ")
  }
}

extension String {
  fileprivate func leftPadded(to count: Int) -> String {
    String(repeating: "0", count: Swift.max(count - self.count, 0)) + self
  }
}
