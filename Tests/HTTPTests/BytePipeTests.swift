import Testing

@testable import HTTP

@Test("A pipe that never runs empty holds no more than twice what it may, and loses nothing")
func pipeThatNeverEmpties() {
  let pipe = BytePipe()
  let size = 48 << 10
  var (written, read) = (0, 0)
  func piece() -> [UInt8] {
    written += 1
    return [UInt8](repeating: UInt8(truncatingIfNeeded: written), count: size)
  }
  for _ in 0..<4 { #expect(pipe.offer(piece())) }
  for _ in 0..<400 {
    let taken = pipe.take(upTo: size) { span in
      read += 1
      #expect(span.count == size && span[0] == UInt8(truncatingIfNeeded: read) && span[size - 1] == span[0])
    }
    #expect(taken == .bytes(size) && pipe.offer(piece()))
    guard pipe.held <= 2 * BytePipe.capacity else {
      Issue.record("\(pipe.held) bytes are held")
      return
    }
  }
}
