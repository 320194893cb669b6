//! Remaining budget of a model's limits while it is recorded or run.

use crate::error::{OnnxError, Outcome, fail};
use crate::value::{Expr, Spec};
use crate::{CancelToken, Limits};

/// Dimensions of a tensor: files cannot declare more, and lists of them are searched.
const MOST_DIMENSIONS: usize = 64;

/// Counts against [`Limits`], and the request to stop.
#[derive(Clone, Debug, Default)]
pub(crate) struct Budget {
    limits: Limits,
    cancel: CancelToken,
    trips: u64,
    nodes: u64,
    folded: u64,
    /// Name of the first limit that was exceeded.
    exceeded: Option<&'static str>,
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
            Some(limit) => OnnxError::Limit { limit, reason: error.to_string() },
            None => error,
        }
    }

    fn exceed<T>(&mut self, limit: &'static str, reason: String) -> Outcome<T> {
        self.exceeded.get_or_insert(limit);
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
                format!("the loops run too often; expected at most {most} iterations in all"),
            );
        }
        Ok(())
    }

    /// Checks the tensors that a call makes. Sizes that are not known yet are those of elements that are
    /// there.
    pub(crate) fn tensors(&mut self, call: &str, specs: &[Spec]) -> Outcome<()> {
        for spec in specs {
            let rank = spec.dims.len();
            if rank > MOST_DIMENSIONS {
                fail!(
                    "{call}: the result has too many dimensions; expected at most {MOST_DIMENSIONS}, got {rank}"
                );
            }
            if let Some(bytes) = bytes_of(spec) {
                self.bytes(call, bytes)?;
            }
        }
        Ok(())
    }

    /// Checks a number of bytes that `what` takes.
    pub(crate) fn bytes(&mut self, what: &str, bytes: u64) -> Outcome<()> {
        let most = self.limits.bytes;
        if bytes > most {
            return self.exceed(
                "bytes",
                format!("{what}: the result is too large; expected at most {most} bytes, got {bytes}"),
            );
        }
        Ok(())
    }

    /// Counts bytes that are computed from constants, of which `free` are as large as the constants: whether
    /// there is room.
    pub(crate) fn fold(&mut self, bytes: u64, free: u64) -> bool {
        let folded = self.folded.saturating_add(bytes);
        let has_room = folded <= self.limits.bytes.saturating_add(free);
        if has_room {
            self.folded = folded;
        }
        has_room
    }

    /// The error of a constant for which there is no room.
    pub(crate) fn too_much_folded(&mut self, what: &str) -> Outcome<()> {
        let most = self.limits.bytes;
        let reason = format!(
            "{what}: what is computed from constants is too large; expected at most {most} bytes more than they have"
        );
        self.exceed("bytes", reason)
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
