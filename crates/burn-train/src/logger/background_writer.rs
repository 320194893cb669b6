use super::LogError;
use super::processor_choice::ProcessorChoice;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The longest time that a line waits to be written.
const DELAY: Duration = Duration::from_secs(1);

/// The most jobs that wait; whoever has more writes them itself.
const MOST_WAITING: usize = 1 << 12;

/// A change of the files of a log.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LogJob {
    /// The next lines are of another epoch, of which an earlier run has logged this many batches.
    StartEpoch {
        kept: usize,
    },
    Line {
        epoch: usize,
        name: String,
        text: String,
    },
    EndEpoch,
}

/// Files that jobs change.
pub(super) trait LogSink: Send + 'static {
    /// Does the jobs in their order; afterwards the system has every line.
    fn write(&mut self, jobs: Vec<LogJob>) -> Result<(), LogError>;
}

/// Writes log lines in a thread of its own. Where there is no thread to have, the calling thread writes.
///
/// Creating a file takes tens to hundreds of microseconds, in which the devices of the run would have nothing
/// to do.
pub(super) struct BackgroundWriter<S> {
    shared: Arc<Shared<S>>,
    thread: Option<JoinHandle<()>>,
}

struct Shared<S> {
    sink: Mutex<S>,
    queue: Mutex<Queue>,
    /// Signalled when jobs are due or there will be no more.
    wanted: Condvar,
    /// Set by the thread that writes.
    processors: OnceLock<ProcessorChoice>,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<LogJob>,
    /// Whether the jobs are to be done now, and not after [`DELAY`].
    is_due: bool,
    is_closed: bool,
    /// The first error that was not returned yet.
    error: Option<LogError>,
}

impl<S: LogSink> BackgroundWriter<S> {
    pub(super) fn start(sink: S) -> Self {
        let shared = Arc::new(Shared {
            sink: Mutex::new(sink),
            queue: Mutex::new(Queue::default()),
            wanted: Condvar::new(),
            processors: OnceLock::new(),
        });
        let worker = Arc::clone(&shared);
        let thread = thread::Builder::new().name("burn-metric-log".to_string()).spawn(move || worker.work());
        Self { shared, thread: thread.ok() }
    }

    /// Hands a job over, to be done at once or with others within a second.
    ///
    /// # Errors
    /// An earlier job failed.
    pub(super) fn submit(&self, job: LogJob, is_due: bool) -> Result<(), LogError> {
        let waiting = {
            let mut queue = lock(&self.shared.queue);
            queue.jobs.push(job);
            queue.is_due |= is_due;
            queue.jobs.len()
        };
        if waiting >= MOST_WAITING || (is_due && self.thread.is_none()) {
            self.shared.write();
        } else if is_due {
            if let Some(processors) = self.shared.processors.get() {
                processors.avoid_current_processor();
            }
            self.shared.wanted.notify_one();
        }
        self.shared.take_error()
    }

    /// Does what waits in the calling thread, after what the other thread is doing.
    ///
    /// # Errors
    /// A job failed.
    pub(super) fn finish(&self) -> Result<(), LogError> {
        self.shared.write();
        self.shared.take_error()
    }
}

impl<S> Drop for BackgroundWriter<S> {
    /// Waits until every line is written.
    fn drop(&mut self) {
        lock(&self.shared.queue).is_closed = true;
        self.shared.wanted.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl<S: LogSink> Shared<S> {
    fn work(&self) {
        if let Some(processors) = ProcessorChoice::of_this_thread() {
            self.processors.get_or_init(|| processors);
        }
        loop {
            let rests = |queue: &mut Queue| !queue.is_due && !queue.is_closed;
            let queue = self.wanted.wait_timeout_while(lock(&self.queue), DELAY, rests);
            let is_closed = queue.unwrap_or_else(PoisonError::into_inner).0.is_closed;
            self.write();
            if is_closed {
                break;
            }
        }
    }

    fn write(&self) {
        // The files first: jobs that are taken later are done later.
        let mut sink = lock(&self.sink);
        let jobs = {
            let mut queue = lock(&self.queue);
            queue.is_due = false;
            std::mem::take(&mut queue.jobs)
        };
        if !jobs.is_empty()
            && let Err(error) = sink.write(jobs)
        {
            lock(&self.queue).error.get_or_insert(error);
        }
    }

    fn take_error(&self) -> Result<(), LogError> {
        lock(&self.queue).error.take().map_or(Ok(()), Err)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S> fmt::Debug for BackgroundWriter<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackgroundWriter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::ThreadId;

    /// Sends what it is to write, with the thread that writes; a line `bad` is an error.
    struct Seen(Sender<(ThreadId, Vec<LogJob>)>);

    impl LogSink for Seen {
        fn write(&mut self, jobs: Vec<LogJob>) -> Result<(), LogError> {
            let bad = jobs.contains(&line("bad"));
            self.0.send((thread::current().id(), jobs)).expect("the test receives");
            if bad { Err(LogError::Other("the disk is full".to_string())) } else { Ok(()) }
        }
    }

    fn line(text: &str) -> LogJob {
        LogJob::Line { epoch: 1, name: "Loss".to_string(), text: text.to_string() }
    }

    fn writer() -> (BackgroundWriter<Seen>, Receiver<(ThreadId, Vec<LogJob>)>) {
        let (sender, seen) = channel();
        (BackgroundWriter::start(Seen(sender)), seen)
    }

    #[test]
    fn lines_that_are_due_are_written_by_another_thread() {
        let (writer, seen) = writer();
        writer.submit(LogJob::StartEpoch { kept: 0 }, false).unwrap();
        writer.submit(line("first"), true).unwrap();
        let (by, mut jobs) = seen.recv().unwrap();
        assert_ne!(by, thread::current().id());
        // After a second the first job may have been written before the second came.
        if jobs.len() == 1 {
            jobs.extend(seen.recv().unwrap().1);
        }
        assert_eq!(jobs, [LogJob::StartEpoch { kept: 0 }, line("first")]);
    }

    #[test]
    fn lines_are_in_order_and_all_are_written_when_it_is_finished() {
        let (writer, seen) = writer();
        let texts: Vec<String> = (0..3 * MOST_WAITING).map(|number| number.to_string()).collect();
        for (number, text) in texts.iter().enumerate() {
            writer.submit(line(text), number % 1000 == 0).unwrap();
        }
        writer.finish().unwrap();
        let written: Vec<LogJob> = seen.try_iter().flat_map(|(_, jobs)| jobs).collect();
        assert!(written.iter().eq(texts.iter().map(|text| line(text)).collect::<Vec<_>>().iter()));
    }

    #[test]
    fn what_waits_is_written_at_the_end() {
        let (writer, seen) = writer();
        writer.submit(line("last"), false).unwrap();
        drop(writer);
        assert_eq!(seen.try_iter().flat_map(|(_, jobs)| jobs).collect::<Vec<_>>(), [line("last")]);
    }

    #[test]
    fn an_error_is_told_once() {
        let (writer, _seen) = writer();
        let failed = writer.submit(line("bad"), true).and_then(|()| writer.finish());
        assert_eq!(failed.unwrap_err().to_string(), "the disk is full");
        writer.submit(line("good"), false).unwrap();
        writer.finish().unwrap();
    }
}
