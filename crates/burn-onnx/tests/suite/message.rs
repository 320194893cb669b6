//! Bytes of model files, message by message.

/// A message of fields with contents.
pub fn message(fields: &[(u64, &[u8])]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (field, content) in fields {
        varint(&mut bytes, field << 3 | 2);
        varint(&mut bytes, content.len() as u64);
        bytes.extend_from_slice(content);
    }
    bytes
}

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// A field that is a number.
pub fn number(field: u64, value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    varint(&mut bytes, field << 3);
    varint(&mut bytes, value);
    bytes
}

/// A model with a graph of these bytes, at operator set 17.
pub fn model(graph: &[u8]) -> Vec<u8> {
    let opset = [message(&[(1, b"")]), number(2, 17)].concat();
    message(&[(8, &opset), (7, graph)])
}
