use std::fmt;

/// Memory held by the pools of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// Number of buffers in use.
    pub buffers: u64,
    /// Bytes of the buffers in use.
    pub used: u64,
    /// Bytes reserved on the device, for present and later buffers.
    pub reserved: u64,
}

impl From<cubecl::MemoryUsage> for MemoryUsage {
    fn from(usage: cubecl::MemoryUsage) -> Self {
        MemoryUsage { buffers: usage.number_allocs, used: usage.bytes_in_use, reserved: usage.bytes_reserved }
    }
}

/// Failed allocation on a device, with the memory in use, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    pub device: String,
    pub asked: u64,
    /// Bytes of live tensors.
    pub used: u64,
    /// Bytes held by pools: live tensors, and free buffers.
    pub reserved: u64,
    pub room: Room,
}

/// Free memory of a device, as far as the driver reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Free and total bytes of the device.
    Free { free: u64, total: u64 },
    /// The driver does not report free memory; this is the largest buffer.
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
