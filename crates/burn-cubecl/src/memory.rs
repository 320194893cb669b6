use std::fmt;

/// What the pools of a device hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// Buffers that are in use.
    pub buffers: u64,
    /// Bytes of these buffers.
    pub used: u64,
    /// Bytes that were taken from the device, for buffers of now and of later.
    pub reserved: u64,
}

impl From<cubecl::MemoryUsage> for MemoryUsage {
    fn from(usage: cubecl::MemoryUsage) -> Self {
        MemoryUsage { buffers: usage.number_allocs, used: usage.bytes_in_use, reserved: usage.bytes_reserved }
    }
}

/// What was asked of a device that had no room for it, and what there was, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    pub device: String,
    pub asked: u64,
    /// By tensors that live.
    pub used: u64,
    /// By pools: tensors that live, and room that is kept for others.
    pub reserved: u64,
    pub room: Room,
}

/// What is known of the memory that nobody has taken yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// So much of so much is free, for anybody.
    Free { free: u64, total: u64 },
    /// The driver tells nobody what is free; no buffer is larger than this.
    Largest(u64),
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [asked, used, reserved] = [self.asked, self.used, self.reserved].map(Size);
        write!(
            f,
            "{}: out of memory: {asked} were asked for, tensors use {used}, pools hold {reserved}, ",
            self.device
        )?;
        match self.room {
            Room::Free { free, total } => write!(f, "{} of {} are free", Size(free), Size(total)),
            Room::Largest(most) => {
                write!(f, "a buffer has at most {}; the driver does not say what is free", Size(most))
            }
        }
    }
}

struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, gib) = (self.0, self.0 as f64 / (1u64 << 30) as f64);
        if gib >= 1.0 {
            write!(f, "{gib:.2} GiB")
        } else {
            write!(f, "{:.2} MiB", bytes as f64 / (1u64 << 20) as f64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OutOfMemory, Room};

    #[test]
    fn both_kinds_of_devices_say_what_was_asked_for_used_and_left() {
        let mut full = OutOfMemory {
            device: "Cuda(0)".into(),
            asked: 3 << 30,
            used: 1 << 20,
            reserved: 5 << 19,
            room: Room::Free { free: 1 << 30, total: 2 << 30 },
        };
        let asked =
            "Cuda(0): out of memory: 3.00 GiB were asked for, tensors use 1.00 MiB, pools hold 2.50 MiB, ";
        assert_eq!(full.to_string(), format!("{asked}1.00 GiB of 2.00 GiB are free"));
        full.room = Room::Largest(128 << 20);
        let room = "a buffer has at most 128.00 MiB; the driver does not say what is free";
        assert_eq!(full.to_string(), format!("{asked}{room}"));
    }
}
