//! Remaining budget of a model's limits while it is recorded or run.

use crate::charge::Charge;
use crate::error::{OnnxError, Outcome, fail};
use crate::value::{Expr, Spec};
use crate::{CancelToken, Limits};
use burn_ir::TensorData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Dimensions of a tensor: files cannot declare more, and lists of them are searched.
const MOST_DIMENSIONS: usize = 64;

/// Counts against [`Limits`], and the request to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budget {
    limits: Limits,
    cancel: CancelToken,
    trips: u64,
    nodes: u64,
    /// Bytes of the values that are alive.
    alive: Arc<AtomicU64>,
    /// Bytes that may be alive beyond the limit: those of the constants that are computed from.
    allowed: u64,
    folded: Folded,
    exceeded: Option<Exceeded>,
}

/// The first limit that was exceeded.
#[derive(Clone, Copy, Debug)]
struct Exceeded {
    limit: &'static str,
    most: u64,
    found: u64,
}

/// Constants on the host that were computed from those of the model.
#[derive(Clone, Debug, Default)]
struct Folded {
    /// The constants that lived when they were last looked at, and those since then.
    data: Vec<(Weak<TensorData>, u64)>,
    bytes: u64,
    /// Constants that may be there before the dead ones are removed.
    most: usize,
    /// Bytes that are as large as the constants of the model.
    free: u64,
}

impl Folded {
    /// Adds a constant.
    fn add(&mut self, data: &Arc<TensorData>) {
        if self.data.len() >= self.most {
            self.remove_dropped();
            self.most = 2 * self.data.len() + 64;
        }
        let bytes = data.as_bytes().len() as u64;
        self.data.push((Arc::downgrade(data), bytes));
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn remove_dropped(&mut self) {
        self.data.retain(|(data, _)| data.strong_count() > 0);
        self.bytes = self.data.iter().map(|(_, bytes)| bytes).sum();
    }

    /// Bytes beyond those that are free.
    fn beyond(&self) -> u64 {
        self.bytes.saturating_sub(self.free)
    }
}

impl Budget {
    pub(crate) fn new(limits: &Limits, cancel: &CancelToken) -> Self {
        Budget { limits: limits.clone(), cancel: cancel.clone(), ..Self::default() }
    }

    /// Whether the run must end: another way to compute the same would end too.
    #[cfg(feature = "run")]
    pub(crate) fn is_spent(&self) -> bool {
        self.exceeded.is_some() || self.cancel.is_cancelled()
    }

    /// The error of a run as one of its cause, where that is a limit or the request to stop.
    pub(crate) fn typed(&self, error: OnnxError) -> OnnxError {
        match self.exceeded {
            _ if self.cancel.is_cancelled() => OnnxError::Cancelled,
            Some(Exceeded { limit, most, found }) => {
                let reason = error.to_string();
                let node = match error {
                    OnnxError::Node { node, .. } => Some(node),
                    _ => None,
                };
                OnnxError::Limit { limit, node, most, found, reason }
            }
            None => error,
        }
    }

    fn exceed<T>(&mut self, limit: &'static str, most: u64, found: u64, reason: String) -> Outcome<T> {
        self.exceeded.get_or_insert(Exceeded { limit, most, found });
        fail!("{reason}. Raise `Limits::{limit}` if the model is trusted")
    }

    /// Ends a run that was cancelled.
    pub(crate) fn go_on(&self) -> Outcome<()> {
        if self.cancel.is_cancelled() {
            fail!("the run was cancelled");
        }
        Ok(())
    }

    /// Counts a node that is recorded, or one that runs.
    pub(crate) fn node(&mut self, is_running: bool) -> Outcome<()> {
        self.nodes += 1;
        // Each iteration of a run has at most all nodes.
        let iterations = if is_running { self.trips } else { 0 };
        let most = self.limits.nodes.saturating_mul(iterations.saturating_add(1));
        if self.nodes > most {
            return self.exceed(
                "nodes",
                most,
                self.nodes,
                format!("the model makes more nodes than the limit; expected at most {most}"),
            );
        }
        Ok(())
    }

    /// Counts an iteration of a loop.
    pub(crate) fn trip(&mut self) -> Outcome<()> {
        self.trips(1)
    }

    /// Counts iterations, or what is computed as often as its number says.
    pub(crate) fn trips(&mut self, count: u64) -> Outcome<()> {
        self.go_on()?;
        self.trips = self.trips.saturating_add(count);
        let most = self.limits.trips;
        if self.trips > most {
            return self.exceed(
                "trips",
                most,
                self.trips,
                format!("the loops run too often; expected at most {most} iterations in all"),
            );
        }
        Ok(())
    }

    /// Checks the tensors that a call makes, alone and with what is alive. Sizes that are not known yet are
    /// those of elements that are there.
    pub(crate) fn tensors(&mut self, call: &str, specs: &[Spec]) -> Outcome<()> {
        let mut made = 0_u64;
        for spec in specs {
            let rank = spec.dims.len();
            if rank > MOST_DIMENSIONS {
                fail!(
                    "{call}: the result has too many dimensions; expected at most {MOST_DIMENSIONS}, got {rank}"
                );
            }
            if let Some(bytes) = bytes_of(spec) {
                self.bytes(call, bytes)?;
                made = made.saturating_add(bytes);
            }
        }
        self.room(call, made)
    }

    /// Checks that there is room for bytes beside those that are alive.
    pub(crate) fn room(&mut self, what: &str, made: u64) -> Outcome<()> {
        let most = self.limits.bytes.saturating_add(self.allowed);
        let tensors = self.alive.load(Ordering::Relaxed);
        if tensors.saturating_add(self.folded.beyond()).saturating_add(made) <= most {
            return Ok(());
        }
        self.folded.remove_dropped();
        let alive = tensors.saturating_add(self.folded.beyond());
        let found = alive.saturating_add(made);
        if found <= most {
            return Ok(());
        }
        let reason = format!(
            "{what}: the values that are alive together are too large; expected at most {most} bytes, got {found} ({alive} \
             alive and {made} more)"
        );
        self.exceed("bytes", most, found, reason)
    }

    /// Counts the bytes of a value for as long as what is returned lives. None where there are none.
    pub(crate) fn charge(&mut self, what: &str, bytes: u64) -> Outcome<Option<Arc<Charge>>> {
        if bytes == 0 {
            return Ok(None);
        }
        self.room(what, bytes)?;
        self.keep(bytes);
        Ok(Some(Arc::new(Charge::new(self.alive.clone(), bytes))))
    }

    /// Counts bytes to the end of the run.
    pub(crate) fn keep(&mut self, bytes: u64) {
        self.alive.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Sets the bytes of the constants that the following is computed from, which are free.
    #[cfg(feature = "run")]
    pub(crate) fn allow(&mut self, bytes: u64) {
        self.allowed = bytes;
    }

    /// Checks a number of bytes that `what` takes.
    pub(crate) fn bytes(&mut self, what: &str, bytes: u64) -> Outcome<()> {
        let most = self.limits.bytes;
        if bytes > most {
            return self.exceed(
                "bytes",
                most,
                bytes,
                format!("{what}: the result is too large; expected at most {most} bytes, got {bytes}"),
            );
        }
        Ok(())
    }

    /// Sets the bytes on the host, computed from constants, that are as large as the constants and therefore
    /// free.
    pub(crate) fn set_free(&mut self, free: u64) {
        self.folded.free = free;
    }

    /// Whether there is room for another constant on the host.
    pub(crate) fn has_room(&mut self, bytes: u64) -> bool {
        let most = self.limits.bytes.saturating_add(self.folded.free);
        if self.folded.bytes.saturating_add(bytes) > most {
            self.folded.remove_dropped();
        }
        self.folded.bytes.saturating_add(bytes) <= most
    }

    /// Counts a constant on the host while it lives.
    pub(crate) fn fold(&mut self, data: &Arc<TensorData>) {
        self.folded.add(data);
    }

    /// The error of a constant of so many bytes for which there is no room.
    pub(crate) fn too_much_folded(&mut self, what: &str, bytes: u64) -> Outcome<()> {
        let most = self.limits.bytes;
        let found = self.folded.beyond().saturating_add(bytes);
        let reason = format!(
            "{what}: what is computed from constants is too large; expected at most {most} bytes more than they have, got {found}"
        );
        self.exceed("bytes", most, found, reason)
    }
}

/// Bytes of a tensor whose sizes are known.
pub(crate) fn bytes_of(spec: &Spec) -> Option<u64> {
    let known = |dim: &Expr| dim.known().and_then(|size| u64::try_from(size).ok());
    let sizes: Option<Vec<u64>> = spec.dims.iter().map(known).collect();
    let sizes = sizes?;
    if sizes.contains(&0) {
        return Some(0);
    }
    Some(sizes.into_iter().fold(spec.dtype.size() as u64, u64::saturating_mul))
}
