use super::engine::LocalEngine;
use super::hub::Hub;
use crate::launch::Settings;
use crate::{CollectiveError, Communicator};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, Builder};

/// Ranks that are started: each is a thread.
const MAX_RANKS: usize = 1024;

/// Ranks that are threads of this process, with shared memory between them: for several devices of one
/// process, and for tests of programs that will run on many.
///
/// ```
/// use burn::collective::{CollectiveError, Local};
///
/// let ranks = Local::run(3, |communicator| (communicator.rank(), communicator.world_size()))?;
/// assert_eq!(ranks, [(0, 3), (1, 3), (2, 3)]);
///
/// // A rank that ends is an error for those that wait for it.
/// let results = Local::run(2, |communicator| match communicator.rank() {
///     0 => communicator.barrier(),
///     _ => Ok(()),
/// })?;
/// assert_eq!(results[0], Err(CollectiveError::RankEnded { operation: "barrier".into(), rank: 1 }));
/// # Ok::<(), CollectiveError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Local;

impl Local {
    /// Returns the communicators of `world_size` ranks, each to be moved to its thread.
    ///
    /// # Errors
    /// If `world_size` is 0 or above 1024, or a variable of this crate has a wrong value.
    #[expect(clippy::new_ret_no_self, reason = "there is a communicator for each rank")]
    pub fn new(world_size: usize) -> Result<Vec<Communicator>, CollectiveError> {
        if world_size == 0 || world_size > MAX_RANKS {
            return Err(CollectiveError::Argument {
                operation: "Local::new".into(),
                rank: 0,
                argument: "world_size",
                expected: format!("1 to {MAX_RANKS}"),
                found: world_size.to_string(),
            });
        }
        Settings::from_environment()?;
        let hub = Hub::new(world_size);
        let engine = |rank| Communicator::from_engine(Arc::new(LocalEngine::new(hub.clone(), rank)));
        Ok((0..world_size).map(engine).collect())
    }

    /// Runs `program` on `world_size` threads, each with its communicator, and returns the results by rank.
    ///
    /// # Errors
    /// If `world_size` is 0 or above 1024, or the system starts no more threads.
    ///
    /// # Panics
    /// When a rank panicked, with its message, after all ranks have ended.
    pub fn run<R: Send>(
        world_size: usize,
        program: impl Fn(Communicator) -> R + Sync,
    ) -> Result<Vec<R>, CollectiveError> {
        let communicators = Local::new(world_size)?;
        thread::scope(|scope| {
            let (mut threads, mut failed, program) = (Vec::new(), None, &program);
            for communicator in communicators {
                let rank = communicator.rank();
                let builder = Builder::new().name(format!("rank {rank}"));
                match builder.spawn_scoped(scope, move || program(communicator)) {
                    Ok(thread) => threads.push(thread),
                    // The communicator of this rank is gone, so that no other waits for it.
                    Err(cause) => failed = failed.or(Some((rank, cause.to_string()))),
                }
            }
            let results: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
            let results: Vec<R> = results
                .into_iter()
                .map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect();
            match failed {
                None => Ok(results),
                Some((rank, message)) => {
                    Err(CollectiveError::Library { operation: "Local::run".into(), rank, message })
                }
            }
        })
    }
}
