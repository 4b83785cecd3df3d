/// A QR code (ISO/IEC 18004, model 2) of a short text, with the error correction level M.
public struct QRCode: Sendable, Equatable {
  /// Modules on each side.
  public let size: Int
  /// Row by row, dark ones are `true`.
  let modules: [Bool]

  /// The most bytes of UTF-8 that a code of ours holds.
  public static let maximumBytes = Version.largest.dataCount - 3

  /// Encodes `text`; `nil` when it is longer than ``maximumBytes``.
  public init?(_ text: String) { self.init(text, nil) }

  /// Encodes `text` with one mask, or the best.
  init?(_ text: String, _ mask: Mask?) {
    let bytes = Array(text.utf8)
    guard let version = Version.fitting(bytes.count) else { return nil }
    let data = Codewords(bytes, version).interleaved
    let drawn = (mask.map { [$0] } ?? Mask.all).map { mask in
      var grid = ModuleGrid(version)
      grid.drawData(data, mask)
      grid.drawFormat(mask)
      return grid
    }
    guard let best = drawn.min(by: { $0.penalty < $1.penalty }) else { return nil }
    size = version.size
    modules = best.modules.map { $0 == .dark }
  }

  public subscript(row row: Int, column column: Int) -> Bool { modules[row * size + column] }

  /// Light modules that have to stand around the code.
  public static let quietZone = 4

  /// The dark modules with the quiet zone around them as the data of an SVG path, whose unit is a module.
  public var path: String {
    var path = ""
    for row in 0..<size {
      var column = 0
      while column < size {
        guard self[row: row, column: column] else {
          column += 1
          continue
        }
        var end = column
        while end < size, self[row: row, column: end] { end += 1 }
        path += "M\(column + Self.quietZone) \(row + Self.quietZone)h\(end - column)v1h-\(end - column)z"
        column = end
      }
    }
    return path
  }

  /// The side of the picture that ``path`` is drawn in.
  public var pathSize: Int { size + 2 * Self.quietZone }
}
