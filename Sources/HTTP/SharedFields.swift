/// Fields that many answers carry, encoded once instead of for each of them.
public final class SharedFields: Sendable {
  let fields: [Headers.Field]
  /// The field lines as they are sent, each behind the end of the line before it.
  let encoded: [UInt8]

  /// Joins `fields`, in this order; none may be one that the encoder alone writes.
  public init(_ fields: [Headers.Field]) {
    assert(!fields.contains { ResponseEncoder.isOwn($0.name.text) })
    self.fields = fields
    encoded = Array(fields.map { "\r\n\($0.name.text): \($0.value.text)" }.joined().utf8)
  }

  func contains(_ name: FieldName) -> Bool { fields.contains { $0.name == name } }
}
