/// The time limits in the loop's unit, converted once: arithmetic on `Duration` costs more than parsing a small head.
struct Deadlines {
  let handshake: Milliseconds
  let firstByte: Milliseconds
  let head: Milliseconds
  let bodyStall: Milliseconds
  let keepAlive: Milliseconds
  let linger: Milliseconds
  let writeStall: Milliseconds

  init(_ limits: Limits) {
    handshake = limits.handshake.milliseconds
    firstByte = limits.firstByte.milliseconds
    head = limits.head.milliseconds
    bodyStall = limits.bodyStall.milliseconds
    keepAlive = limits.keepAlive.milliseconds
    linger = limits.linger.milliseconds
    writeStall = limits.writeStall.milliseconds
  }
}
