extension Connection {
  /// Makes room for an answer behind those that have gathered.
  func prepareOutput() {
    if output.capacity == 0 { output = loop.buffers.takeOutput() }
    if !tail.isEmpty { joinTail() }
  }

  private func joinTail() {
    output.append(contentsOf: tail)
    tail = []
  }

  /// Sends what has gathered.
  @inline(__always) nonisolated(nonsending) func flush() async throws(Ending) {
    (isDeferring, owesRest) = (false, false)
    if !(try sendOutput()) { try await sendRest() }
  }

  /// Leaves what has gathered to the end of the loop's turn.
  ///
  /// Answers of many connections that leave together wake whoever reads them once, where one by one they would wake it
  /// each time: under load that is a fifth of the work.
  func sendAtTurnEnd() {
    guard !isDeferring && !output.isEmpty else { return }
    isDeferring = true
    loop.sendAtTurnEnd(self)
  }

  /// Sends what was left to the end of the turn as far as the system takes it; the rest is for the connection's task.
  func sendDeferred() {
    guard isDeferring else { return }
    isDeferring = false
    do throws(Ending) {
      if try sendOutput() { return }
      owesRest = true
      if peer.channel.isIdle { peer.channel.wake(.ready) }
    } catch { peer.channel.abort() }
  }

  /// Sends the last answers, if some were left to the end of the turn, to a client that goes.
  nonisolated(nonsending) func sendLast() async {
    // It may be gone for good, and then there is nobody to tell.
    if isDeferring || owesRest { do throws(Ending) { try await flush() } catch {} }
    peer.channel.close()
  }

  /// Sends what has gathered and then `body`, which is not copied for that.
  nonisolated(nonsending) func flush(with body: [UInt8]) async throws(Ending) {
    (isDeferring, owesRest) = (false, false)
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
    // What TLS took and the system did not is no output any more.
    guard !output.isEmpty else { return !peer.hasPending }
    let count = try peer.writeNow(output, tail)
    if count < output.count + tail.count {
      joinTail()
      output.removeFirst(count)
      return false
    }
    tail = []
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
