extension Connection {
  /// Makes room for an answer.
  func prepareOutput() {
    if output.capacity == 0 { output = loop.buffers.takeOutput() }
  }

  /// Sends what has gathered.
  @inline(__always) nonisolated(nonsending) func flush() async throws(Ending) {
    if !(try sendOutput()) { try await sendRest() }
  }

  /// Sends what has gathered and then `body`, which is not copied for that.
  nonisolated(nonsending) func flush(with body: [UInt8]) async throws(Ending) {
    let head = take(&output)
    let count = try peer.writeNow(head, body)
    if count < head.count { try await peer.write(head, from: count) }
    if count < head.count + body.count { try await peer.write(body, from: max(count - head.count, 0)) }
    if peer.hasPending { try await peer.sendPending() }
    loop.buffers.giveOutput(consume head)
  }

  /// Sends what has gathered as far as the system takes it, and keeps the rest.
  ///
  /// - Returns: whether that was all.
  func sendOutput() throws(Ending) -> Bool {
    guard !output.isEmpty else { return true }
    let count = try peer.writeNow(output)
    if count < output.count {
      output.removeFirst(count)
      return false
    }
    loop.buffers.giveOutput(take(&output))
    return !peer.hasPending
  }

  private nonisolated(nonsending) func sendRest() async throws(Ending) {
    let bytes = take(&output)
    if !bytes.isEmpty { try await peer.write(bytes) }
    if peer.hasPending { try await peer.sendPending() }
    loop.buffers.giveOutput(consume bytes)
  }
}

/// What `bytes` hold; they are empty then, so that there is one owner only.
private func take(_ bytes: inout [UInt8]) -> [UInt8] {
  var taken: [UInt8] = []
  swap(&taken, &bytes)
  return taken
}
