//! The messages `Event` and `Summary` of TensorFlow as protocol buffers (`tensorflow/core/util/event.proto`,
//! `tensorflow/core/framework/summary.proto`).

/// Something that happened at a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event<'a> {
    /// Seconds since 1970.
    pub(super) wall_time: f64,
    pub(super) step: u64,
    pub(super) content: Content<'a>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Content<'a> {
    /// The first event of a file.
    Version,
    /// Readers drop what earlier files have from this step on.
    Start,
    /// Numbers by tag.
    Scalars(&'a [(String, f32)]),
}

impl Event<'_> {
    /// Returns the bytes of the message.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut message = Message::default();
        message.fixed64(1, self.wall_time.to_bits());
        message.varint(2, self.step);
        match self.content {
            Content::Version => message.bytes(3, b"brain.Event:2"),
            Content::Start => {
                let mut log = Message::default();
                log.varint(1, 1);
                message.bytes(7, &log.0);
            }
            Content::Scalars(scalars) => {
                let mut summary = Message::default();
                for (tag, number) in scalars {
                    let mut value = Message::default();
                    value.bytes(1, tag.as_bytes());
                    value.fixed32(2, number.to_bits());
                    summary.bytes(1, &value.0);
                }
                message.bytes(5, &summary.0);
            }
        }
        message.0
    }
}

/// A protocol buffer that is being written. Fields with the default value are left out, as in proto3.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn key(&mut self, field: u64, wire_type: u64) {
        self.number(field << 3 | wire_type);
    }

    /// Writes seven bits a byte, the lowest first.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    fn varint(&mut self, field: u64, number: u64) {
        if number != 0 {
            self.key(field, 0);
            self.number(number);
        }
    }

    fn fixed64(&mut self, field: u64, bits: u64) {
        self.key(field, 1);
        self.0.extend(bits.to_le_bytes());
    }

    /// Writes a member of a `oneof`, which is there even where it is zero.
    fn fixed32(&mut self, field: u64, bits: u32) {
        self.key(field, 5);
        self.0.extend(bits.to_le_bytes());
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.key(field, 2);
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::frame;
    use super::*;

    /// `scripts/tensorboard_fixture.py` writes the same events with TensorBoard's own messages and framing.
    #[test]
    fn events_are_those_of_tensorboard_byte_by_byte() {
        let scalars = [("Loss".to_string(), 0.25), ("Learning Rate".to_string(), 0.0)];
        let contents = [
            (0, Content::Version),
            (5, Content::Start),
            (300, Content::Scalars(&scalars)),
            (70_000, Content::Scalars(&scalars[..1])),
        ];
        let mut found = Vec::new();
        for (step, content) in contents {
            found.extend(frame(&Event { wall_time: 1.0, step, content }.encode()));
        }
        assert_eq!(found, include_bytes!("fixture.tfevents"));
    }
}
