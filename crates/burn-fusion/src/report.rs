//! Statistics of fusion.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Statistics of calls and blocks of this process; see [`Report::now`].
///
/// ```
/// use burn::backend::fusion::Report;
/// let before = Report::now();
/// // .. a training step ..
/// println!("{}", Report::now() - before);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Blocks: passes of several fused calls.
    pub blocks: u64,
    /// Calls in these passes.
    pub fused: u64,
    /// Calls that ran by themselves.
    pub alone: u64,
    /// Calls that never ran, because their results were dropped before.
    pub dropped: u64,
    /// Bytes that the fused calls would have read and written by themselves, less those that their blocks
    /// did.
    pub bytes_saved: u64,
}

static BLOCKS: AtomicU64 = AtomicU64::new(0);
static FUSED: AtomicU64 = AtomicU64::new(0);
static ALONE: AtomicU64 = AtomicU64::new(0);
static DROPPED: AtomicU64 = AtomicU64::new(0);
static BYTES_SAVED: AtomicU64 = AtomicU64::new(0);

impl Report {
    /// Returns the statistics of all threads and devices until now, without calls that are still queued.
    pub fn now() -> Self {
        let [blocks, fused, alone, dropped, bytes_saved] =
            [&BLOCKS, &FUSED, &ALONE, &DROPPED, &BYTES_SAVED].map(|number| number.load(Ordering::Relaxed));
        Report { blocks, fused, alone, dropped, bytes_saved }
    }

    /// Returns the number of backend calls.
    pub fn kernels(&self) -> u64 {
        self.blocks + self.alone
    }
}

impl std::ops::Sub for Report {
    type Output = Report;

    /// Returns the difference to an earlier report.
    fn sub(self, earlier: Report) -> Report {
        Report {
            blocks: self.blocks - earlier.blocks,
            fused: self.fused - earlier.fused,
            alone: self.alone - earlier.alone,
            dropped: self.dropped - earlier.dropped,
            bytes_saved: self.bytes_saved - earlier.bytes_saved,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { blocks, fused, alone, dropped, bytes_saved } = self;
        let calls = fused + alone;
        write!(f, "{calls} calls in {} kernels: {fused} in {blocks} blocks, {alone} alone", self.kernels())?;
        write!(f, "; {dropped} not needed; {} not moved", bytes(*bytes_saved))
    }
}

/// Formats a number of bytes with a unit.
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        1_000_000_000.. => format!("{:.1} GB", count as f64 / 1e9),
    }
}

pub fn count_block(calls: usize, saved: u64) {
    BLOCKS.fetch_add(1, Ordering::Relaxed);
    FUSED.fetch_add(calls as u64, Ordering::Relaxed);
    BYTES_SAVED.fetch_add(saved, Ordering::Relaxed);
}

pub fn count_alone() {
    ALONE.fetch_add(1, Ordering::Relaxed);
}

pub fn count_dropped(calls: usize) {
    DROPPED.fetch_add(calls as u64, Ordering::Relaxed);
}
