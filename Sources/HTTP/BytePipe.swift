import Synchronization

/// A bounded run of bytes from one side to the other, so that a body of any size takes little memory on its way.
///
/// Each side is either a task, which suspends while there is no room or nothing to read, or a thread that must not
/// wait: that one is called when it is worth coming again. One writer and one reader.
public final class BytePipe: Sendable {
  public enum Failure: Error {
    /// The other side takes or brings nothing more.
    case abandoned
  }

  /// What a reader that must not wait gets.
  public enum Taken: Sendable, Equatable {
    case bytes(Int)
    /// Nothing is there yet; the bell rings when that changes.
    case nothing
    case end
    case failure
  }

  private enum Ending {
    case finished
    case failed(any Error)
  }

  private struct State {
    var bytes: [UInt8] = []
    /// How many of ``bytes`` were taken already.
    var taken = 0
    var ending: Ending?
    var isAbandoned = false
    var reader: CheckedContinuation<[UInt8]?, any Error>?
    var writer: CheckedContinuation<Void, any Error>?
    var bell: (@Sendable () -> Void)?
    /// Whether somebody who does not wait wants to hear of the next change.
    var isBellAwaited = false

    var count: Int { bytes.count - taken }

    mutating func dropTaken() {
      bytes.removeFirst(taken)
      taken = 0
    }
  }

  /// Bytes from which on nothing more is taken in; one piece may go beyond it.
  public static let capacity = 256 << 10

  private let state = Mutex(State())

  public init() {}

  /// Calls `bell` whenever the side that does not wait has something to do again; never while a lock is held.
  public func setBell(_ bell: @escaping @Sendable () -> Void) { state.withLock { $0.bell = bell } }

  // MARK: - Writing

  /// Adds `piece`, once there is room.
  ///
  /// - Throws: ``Failure/abandoned`` when nobody reads any more; `CancellationError`.
  public func write(_ piece: [UInt8]) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
        let (result, reader, bell) = state.withLock { state -> (Result<Bool, any Error>, Delivery?, Bell?) in
          if state.isAbandoned || state.ending != nil { return (.failure(Failure.abandoned), nil, nil) }
          state.bytes.append(contentsOf: piece)
          let (delivery, bell) = (Self.delivery(from: &state), Self.ring(&state))
          guard state.count >= Self.capacity else { return (.success(true), delivery, bell) }
          state.writer = done
          return (.success(false), delivery, bell)
        }
        reader?.resume()
        bell?()
        switch result {
        case .success(true): done.resume()
        case .success(false): break
        case .failure(let error): done.resume(throwing: error)
        }
      }
    } onCancel: {
      fail(CancellationError())
    }
  }

  /// Adds `piece` without waiting and without telling the reader; `false` when there is no room, and then the bell rings
  /// when there is.
  public func offer(_ piece: some Collection<UInt8>) -> Bool {
    state.withLock { state in
      guard state.count < Self.capacity || state.isAbandoned else {
        state.isBellAwaited = true
        return false
      }
      if !state.isAbandoned { state.bytes.append(contentsOf: piece) }
      return true
    }
  }

  /// Tells a reader that waits of what was offered; once for many pieces, since each time may wake a thread.
  public func deliver() {
    let (delivery, bell) = state.withLock { state -> (Delivery?, Bell?) in
      let delivery = Self.delivery(from: &state)
      // What the reader gets makes room.
      return (delivery, delivery == nil ? nil : Self.ring(&state))
    }
    delivery?.resume()
    bell?()
  }

  /// Says that this was all.
  public func finish() { end(.finished) }

  /// Says that nothing more comes although this was not all; what is there can still be read.
  public func fail(_ error: any Error) { end(.failed(error)) }

  /// Bytes that are held, those included that were taken and are still in the way.
  var held: Int { state.withLock { $0.bytes.count } }

  /// Whether the reader has gone.
  public var isAbandoned: Bool { state.withLock(\.isAbandoned) }

  private func end(_ ending: Ending) {
    let (reader, writer, bell) = state.withLock { state -> (Delivery?, CheckedContinuation<Void, any Error>?, Bell?) in
      guard state.ending == nil else { return (nil, nil, nil) }
      state.ending = ending
      defer { state.writer = nil }
      return (Self.delivery(from: &state), state.writer, Self.ring(&state))
    }
    reader?.resume()
    writer?.resume(throwing: Failure.abandoned)
    bell?()
  }

  // MARK: - Reading

  /// Everything that is there, at least one byte; `nil` at the end.
  ///
  /// - Throws: What the writer failed with; `CancellationError`.
  public func read() async throws -> [UInt8]? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (wanted: CheckedContinuation<[UInt8]?, any Error>) in
        let (delivery, writer, bell) = state.withLock {
          state -> (Delivery?, CheckedContinuation<Void, any Error>?, Bell?) in
          state.reader = wanted
          let delivery = Self.delivery(from: &state)
          defer { if delivery != nil { state.writer = nil } }
          return (delivery, delivery == nil ? nil : state.writer, delivery == nil ? nil : Self.ring(&state))
        }
        writer?.resume()
        bell?()
        delivery?.resume()
      }
    } onCancel: {
      abandon()
    }
  }

  /// Calls `copy` with at most `limit` of the bytes that are there, which are gone then; never waits.
  public func take(upTo limit: Int, _ copy: (Span<UInt8>) -> Void) -> Taken {
    let (result, writer) = state.withLock { state -> (Taken, CheckedContinuation<Void, any Error>?) in
      let count = min(state.count, limit)
      guard count > 0 else { return (Self.emptiness(of: &state), nil) }
      copy(state.bytes.span.extracting(state.taken..<state.taken + count))
      state.taken += count
      guard state.count == 0 else {
        // A side that always brings more would never let it run empty.
        if state.taken >= Self.capacity / 2 { state.dropTaken() }
        return (.bytes(count), nil)
      }
      state.bytes.removeAll(keepingCapacity: true)
      state.taken = 0
      defer { state.writer = nil }
      return (.bytes(count), state.writer)
    }
    writer?.resume()
    return result
  }

  /// Says that nothing more is read.
  public func abandon() {
    let (reader, writer, bell) = state.withLock {
      state -> (CheckedContinuation<[UInt8]?, any Error>?, CheckedContinuation<Void, any Error>?, Bell?) in
      state.isAbandoned = true
      state.isBellAwaited = true
      (state.bytes, state.taken) = ([], 0)
      defer { (state.reader, state.writer) = (nil, nil) }
      return (state.reader, state.writer, Self.ring(&state))
    }
    reader?.resume(throwing: CancellationError())
    writer?.resume(throwing: Failure.abandoned)
    bell?()
  }

  // MARK: - With the lock held

  private typealias Bell = @Sendable () -> Void

  /// What a waiting reader gets, once the lock is free.
  private struct Delivery {
    let reader: CheckedContinuation<[UInt8]?, any Error>
    let result: Result<[UInt8]?, any Error>

    func resume() { reader.resume(with: result) }
  }

  private static func emptiness(of state: inout State) -> Taken {
    switch state.ending {
    case .finished: return .end
    case .failed: return .failure
    case nil:
      state.isBellAwaited = true
      return .nothing
    }
  }

  private static func delivery(from state: inout State) -> Delivery? {
    guard let reader = state.reader else { return nil }
    let result: Result<[UInt8]?, any Error>
    if state.isAbandoned {
      result = .failure(CancellationError())
    } else if state.count > 0 {
      // A reader that waits has taken all, so nothing of these was taken before.
      result = .success(state.bytes)
      state.bytes = []
    } else {
      switch state.ending {
      case .finished: result = .success(nil)
      case .failed(let error): result = .failure(error)
      case nil: return nil
      }
    }
    state.reader = nil
    return Delivery(reader: reader, result: result)
  }

  private static func ring(_ state: inout State) -> Bell? {
    guard state.isBellAwaited else { return nil }
    state.isBellAwaited = false
    return state.bell
  }
}

/// The reading end of a pipe, which is abandoned when nobody holds it any more.
public final class PipeReader: Sendable {
  private let pipe: BytePipe

  public init(_ pipe: BytePipe) { self.pipe = pipe }

  deinit { pipe.abandon() }

  /// What ``BytePipe/read()`` gives.
  public func read() async throws -> [UInt8]? { try await pipe.read() }
}
