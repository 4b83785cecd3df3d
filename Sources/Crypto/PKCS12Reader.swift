internal import COpenSSL
import Glibc

/// Reads PKCS #12 files, each in a process of its own with little time and memory.
///
/// What such a file makes a reader do is up to its author: a kilobyte can ask for half an hour of key derivation.
public final class PKCS12Reader: Sendable {
  private let program: String
  /// Waits for the processes, one at a time; they have its low priority.
  private let pool = HashingPool(threads: 1, capacity: 16)

  /// In bytes.
  public static let largestFile = PKCS12.largest
  public static let longestPassphrase = 1024

  /// What tells the program to ``serve()``.
  public static let words = ["read-certificate-file"]

  /// Takes the path of the program.
  public init(program: String) { self.program = program }

  /// The certificate, then its issuers, then the key as PKCS #8, each as PEM.
  ///
  /// - Throws: ``PKCS12Failure``.
  public func pem(of file: [UInt8], passphrase: [UInt8]) async throws(PKCS12Failure) -> [UInt8] {
    guard (1...PKCS12.largest).contains(file.count) else { throw .damaged }
    guard passphrase.count <= Self.longestPassphrase else { throw .wrongPassphrase }
    let question = Self.question(file, passphrase)
    let program = program
    do {
      return try await pool.run(for: "", isKnownDevice: true) { try Self.ask(program, question).get() }
    } catch {
      throw error as? PKCS12Failure ?? .notRead
    }
  }

  /// The passphrase's length in two bytes, the passphrase, the file.
  private static func question(_ file: [UInt8], _ passphrase: [UInt8]) -> [UInt8] {
    [UInt8(passphrase.count >> 8), UInt8(passphrase.count & 0xFF)] + passphrase + file
  }

  private static func ask(_ program: String, _ question: [UInt8]) -> Result<[UInt8], PKCS12Failure> {
    guard let process = ContainedProcess(program, words) else { return .failure(.notRead) }
    var answer = process.exchange(question, atMost: 1 << 20, within: 15)
    let end = process.end()
    defer { unsafe OPENSSL_cleanse(&answer, answer.count) }
    // Killed by its limit on processor time, or by ours on time.
    if end == .tookTooLong { return .failure(.tooCostly) }
    guard end == .whole, let first = answer.first else { return .failure(.notRead) }
    if first == 0 { return .success(Array(answer.dropFirst())) }
    return .failure(PKCS12Failure(rawValue: first) ?? .notRead)
  }

  // MARK: In the process

  /// Answers one question on the standard streams: 0 and the PEM text, or the number of a failure.
  ///
  /// Sets its own limits first. OpenSSL's provider of old algorithms, which only old files need, is loaded here alone.
  public static func serve() -> Int32 {
    ContainedProcess.limitSelf(seconds: 5, megabytes: 256)
    var question = ContainedProcess.readAll(STDIN_FILENO, atMost: 2 + longestPassphrase + PKCS12.largest)
    defer { unsafe OPENSSL_cleanse(&question, question.count) }
    guard question.count >= 2 else { return 1 }
    let count = Int(question[0]) << 8 | Int(question[1])
    guard question.count >= 2 + count else { return 1 }
    unsafe _ = OSSL_PROVIDER_load(nil, "default")
    unsafe _ = OSSL_PROVIDER_load(nil, "legacy")
    var answer: [UInt8]
    do throws(PKCS12Failure) {
      answer = [0] + (try PKCS12.pem(of: Array(question[(2 + count)...]), passphrase: Array(question[2..<(2 + count)])))
    } catch { answer = [error.rawValue] }
    defer { unsafe OPENSSL_cleanse(&answer, answer.count) }
    return ContainedProcess.writeAll(answer, to: STDOUT_FILENO) ? 0 : 1
  }
}
