//! Where a thread may run. Where all processors are busy, Linux runs a thread that is woken on the one of the
//! thread that woke it, which then waits for what it had handed over.

/// The processors of a thread.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(super) struct ProcessorChoice {
    thread: rustix::thread::Pid,
    allowed: rustix::thread::CpuSet,
    /// The one that the thread keeps off.
    avoided: std::sync::Mutex<Option<usize>>,
}

#[cfg(target_os = "linux")]
impl ProcessorChoice {
    /// Returns the choice of the calling thread.
    pub(super) fn of_this_thread() -> Option<Self> {
        let allowed = rustix::thread::sched_getaffinity(None).ok()?;
        Some(Self { thread: rustix::thread::gettid(), allowed, avoided: std::sync::Mutex::default() })
    }

    /// Keeps the thread off the processor that runs the caller, if there are others.
    pub(super) fn avoid_current_processor(&self) {
        let here = rustix::thread::sched_getcpu();
        let mut avoided = self.avoided.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *avoided == Some(here) || here >= rustix::thread::CpuSet::MAX_CPU {
            return;
        }
        let mut others = self.allowed;
        others.unset(here);
        // A refusal changes nothing: the thread runs wherever it is put.
        if others.count() > 0 && rustix::thread::sched_setaffinity(Some(self.thread), &others).is_ok() {
            *avoided = Some(here);
        }
    }
}

#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(super) struct ProcessorChoice;

#[cfg(not(target_os = "linux"))]
impl ProcessorChoice {
    pub(super) fn of_this_thread() -> Option<Self> {
        None
    }

    pub(super) fn avoid_current_processor(&self) {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use rustix::thread::sched_getaffinity;
    use std::sync::mpsc::channel;

    #[test]
    fn a_thread_keeps_off_the_processor_of_the_one_that_feeds_it() {
        let (sender, receiver) = channel();
        let (stop, stopped) = channel::<()>();
        let thread = std::thread::spawn(move || {
            sender.send(ProcessorChoice::of_this_thread()).expect("the test receives");
            let _ = stopped.recv();
        });
        let choice = receiver.recv().unwrap().expect("Linux knows");
        choice.avoid_current_processor();
        let left = sched_getaffinity(Some(choice.thread)).expect("the thread lives");
        match *choice.avoided.lock().unwrap() {
            Some(avoided) => {
                assert!(!left.is_set(avoided));
                assert_eq!(left.count(), choice.allowed.count() - 1);
            }
            None => assert_eq!((left.count(), choice.allowed.count()), (1, 1)),
        }
        drop(stop);
        thread.join().unwrap();
    }
}
