use super::Malformed;

/// Kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Requests or replies, one after the other. Numbered.
    Messages = 1,
    /// Next bytes of the tensor that was announced last. Numbered.
    Data = 2,
    /// Acknowledgement without payload: the number is that of the frame which the sender expects next.
    Ack = 3,
    /// A [`Fault`](super::Fault), after which nothing comes.
    Fault = 4,
}

/// Bytes of a frame before its payload: the kind, and the number as a little-endian `u64`.
pub const HEADER: usize = 9;

/// A frame, parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame<'a> {
    pub kind: Kind,
    /// Position among the numbered frames of its sender.
    pub number: u64,
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// # Errors
    /// When the bytes are too few, or the kind does not exist.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let Some((header, payload)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(Malformed(format!("a frame of {} bytes", bytes.len())));
        };
        let [kind, number @ ..] = *header;
        let kind = match kind {
            1 => Kind::Messages,
            2 => Kind::Data,
            3 => Kind::Ack,
            4 => Kind::Fault,
            other => return Err(Malformed(format!("a frame of kind {other}"))),
        };
        Ok(Frame { kind, number: u64::from_le_bytes(number), payload })
    }

    /// Encodes the frame.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.write_to(Vec::new())
    }

    /// Encodes the frame into a reused buffer.
    pub fn write_to(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        bytes.clear();
        bytes.reserve_exact(HEADER + self.payload.len());
        bytes.push(self.kind as u8);
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(self.payload);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_what_it_was_written_from() {
        let frame = Frame { kind: Kind::Data, number: 0x0102_0304, payload: &[7, 8] };
        assert_eq!(frame.to_bytes(), [2, 4, 3, 2, 1, 0, 0, 0, 0, 7, 8]);
        assert_eq!(Frame::parse(&frame.to_bytes()).unwrap(), frame);
    }

    #[test]
    fn bytes_that_are_no_frame_are_refused() {
        for bytes in [&[][..], &[1; 8], &[0; 20], &[5; 20], b"GET / HTTP/1.1"] {
            assert!(Frame::parse(bytes).is_err(), "{bytes:?}");
        }
    }
}
