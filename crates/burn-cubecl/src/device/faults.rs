use crate::device::error_text::error_text;
use cubecl::backtrace::BackTrace;
use cubecl::server::ServerError;
use cubecl::stream_id::StreamId;
use std::collections::HashMap;
use std::fmt::{Debug, Formatter};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Pending errors of a device, kept for the thread that caused them until it reads.
#[derive(Default)]
pub struct Faults {
    waiting: Mutex<HashMap<StreamId, Waiting>>,
    lost: OnceLock<String>,
    look: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Debug for Faults {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Faults")
            .field("waiting", &self.waiting)
            .field("lost", &self.lost)
            .finish_non_exhaustive()
    }
}

/// The first of so many failures: the others mostly come of it.
#[derive(Debug)]
struct Waiting {
    first: String,
    count: usize,
}

impl Faults {
    /// Keeps a failure of what the calling thread asked for, or the thread that this one works for.
    pub fn note(&self, cause: impl Into<String>) {
        let mut waiting = self.waiting();
        let new = || Waiting { first: cause.into(), count: 0 };
        waiting.entry(StreamId::current()).or_insert_with(new).count += 1;
    }

    /// Notes a server error, as [`note`](Self::note).
    pub fn note_error(&self, error: &ServerError) {
        self.note(error_text(error));
    }

    /// Says that the device will not answer again.
    pub fn lose(&self, cause: impl Into<String>) {
        // The first reason is the right one.
        let _ = self.lost.set(format!("the device is lost: {}", cause.into()));
    }

    /// Says how to look after the device, where it has to be asked whether it is there.
    pub fn look_with(&self, look: impl Fn() + Send + Sync + 'static) {
        let _ = self.look.set(Box::new(look));
    }

    /// Looks whether the device is there.
    pub(crate) fn look(&self) {
        if let Some(look) = self.look.get() {
            look();
        }
    }

    pub fn is_lost(&self) -> bool {
        self.lost.get().is_some()
    }

    /// Takes the pending error of the calling thread. A lost device reports its error each time.
    ///
    /// # Errors
    /// The pending error, if there is one.
    pub fn take_error(&self) -> Result<(), ServerError> {
        let waiting = self.waiting().remove(&StreamId::current());
        let reason = self.lost.get().cloned().or(waiting.map(|waiting| waiting.first));
        reason.map_or(Ok(()), |reason| Err(ServerError::Generic { reason, backtrace: BackTrace::capture() }))
    }

    /// Whether `task` went without a failure; one that it has noted is forgotten.
    pub(crate) fn goes_well(&self, task: impl FnOnce()) -> bool {
        let thread = StreamId::current();
        let before = self.waiting().get(&thread).map_or(0, |waiting| waiting.count);
        task();
        let mut waiting = self.waiting();
        let Some(now) = waiting.get_mut(&thread).filter(|now| now.count > before) else { return true };
        now.count = before;
        if before == 0 {
            waiting.remove(&thread);
        }
        false
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<StreamId, Waiting>> {
        self.waiting.lock().expect("nobody panics while it is held")
    }
}

#[cfg(test)]
mod tests {
    use super::Faults;

    fn next_error(faults: &Faults) -> Option<String> {
        faults.take_error().err().map(|error| crate::device::error_text::error_text(&error))
    }

    #[test]
    fn the_thread_that_asked_is_told_the_first_failure_once() {
        let faults = Faults::default();
        faults.note("one");
        faults.note("two");
        std::thread::scope(|scope| scope.spawn(|| assert_eq!(next_error(&faults), None)).join().unwrap());
        assert_eq!(next_error(&faults).as_deref(), Some("one"));
        assert_eq!(next_error(&faults), None);
    }

    #[test]
    fn a_lost_device_says_so_to_everybody() {
        let faults = Faults::default();
        faults.note("before");
        faults.lose("unplugged");
        faults.lose("later");
        for _ in 0..2 {
            assert_eq!(next_error(&faults).as_deref(), Some("the device is lost: unplugged"));
        }
        assert!(std::thread::scope(|scope| scope.spawn(|| next_error(&faults)).join().unwrap()).is_some());
    }

    #[test]
    fn what_is_tried_leaves_no_failure_behind() {
        let faults = Faults::default();
        assert!(!faults.goes_well(|| faults.note("full")));
        assert_eq!(next_error(&faults), None);
        faults.note("earlier");
        assert!(!faults.goes_well(|| faults.note("full")));
        assert!(faults.goes_well(|| {}));
        assert_eq!(next_error(&faults).as_deref(), Some("earlier"));
    }
}
