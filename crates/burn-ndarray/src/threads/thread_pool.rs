//! Threads that wait for work by looking for it: a call that takes ten microseconds cannot pay for waking
//! one.
//!
//! The thread that has work takes part in it. Helpers join while it lasts; one that comes too late finds the
//! job closed, and the job does not wait for it. A helper that found nothing for a while sleeps.

use crate::threads::host_threads::{self, Stopwatch};
use crate::threads::job_state::JobState;
use crate::threads::pieces::Pieces;
use crate::threads::processor::{self, Processors};
use burn_backend::kernel_error::{self, KernelError};
use burn_backend::memory_budget::{self, MemoryScope};
use core::any::Any;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::boxed::Box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;
use std::vec::Vec;

/// How long a helper looks for work before it sleeps: longer than what lies between two calls in a loop, and
/// than it takes to wake a thread.
const PATIENCE: Duration = Duration::from_micros(200);
/// Most pieces of work per thread, since threads are not equally fast.
const PIECES: usize = 5;

type Body<'a> = &'a (dyn Fn(Pieces<'_>) + Sync);

/// A call, on the stack of the thread that makes it.
struct Job<'a> {
    body: Body<'a>,
    /// Splits the range into pieces, of which a thread that is done takes those that others have left.
    cut: Cut,
    /// Where the memory of the call is counted.
    memory: Option<MemoryScope>,
    failure: Mutex<Option<Failure>>,
}

/// Pieces of a range. Each thread has the same share of it but for one unit, and halves what is left of its
/// share until the last pieces are short: who is done first takes those of the others, and waits for no
/// longer than one of them.
#[derive(Clone, Copy, Debug)]
struct Cut {
    len: usize,
    /// Elements that are not cut.
    unit: usize,
    threads: usize,
    /// Pieces of a share.
    pieces: usize,
}

impl Cut {
    /// Elements of a piece from which on a few more or less do not matter: they begin with whole cache lines
    /// of small elements.
    const LONG: usize = 512;
    const LINE: usize = 64;
    /// The shortest pieces of a grain.
    const SHORTER: usize = 4;

    /// Shares for `threads`, each of `grain` or more. Their pieces may be shorter: to take one costs less
    /// than to begin with another thread.
    fn new(len: usize, grain: usize, threads: usize) -> Self {
        let least = (grain / Self::SHORTER).max(1);
        let pieces = (1 + (len / threads / least).max(1).ilog2() as usize).min(PIECES);
        let unit = if (len / threads) >> pieces >= Self::LONG { Self::LINE } else { 1 };
        Cut { len, unit, threads, pieces }
    }

    /// The elements of a piece, counted share by share.
    fn piece(self, piece: usize) -> Range<usize> {
        let (share, place) = (piece / self.pieces, piece % self.pieces);
        let (first, end) = (self.share(share), self.share(share + 1));
        let start = |place: usize| {
            let left = if place == self.pieces { 0 } else { (end - first) >> place };
            (end - left).saturating_mul(self.unit).min(self.len)
        };
        start(place)..start(place + 1)
    }

    /// The first unit of a share.
    fn share(self, share: usize) -> usize {
        let units = self.len.div_ceil(self.unit);
        // Not multiplied as a whole: ranges may be as long as numbers get.
        units / self.threads * share + units % self.threads * share / self.threads
    }
}

/// How the part of a helper ended, other than well.
enum Failure {
    Error(KernelError),
    Panic(Box<dyn Any + Send>),
}

#[repr(align(64))]
struct Worker {
    /// The next piece of the thread's share.
    next: AtomicUsize,
    asleep: AtomicBool,
    thread: OnceLock<Thread>,
}

struct Team {
    busy: AtomicBool,
    state: JobState,
    /// The processor of the last caller.
    processor: AtomicUsize,
    job: AtomicPtr<Job<'static>>,
    /// That of the caller first.
    places: Vec<Worker>,
}

/// Calls `body` once on each of up to `threads` threads that take part, with ranges that together cover
/// `0..len`: `grain` elements or more for each thread. Where the helpers work for another job, the calling
/// thread does the work alone.
pub fn share(len: usize, grain: usize, threads: usize, body: Body<'_>) {
    let team = team();
    let threads = threads.min(team.places.len()).min(len / grain.max(1)).max(1);
    if threads == 1 || team.busy.swap(true, Ordering::Acquire) {
        return body(&mut core::iter::once(0..len));
    }
    team.run(len, grain, threads, body);
}

fn team() -> &'static Team {
    static TEAM: OnceLock<Team> = OnceLock::new();
    let team = TEAM.get_or_init(|| {
        let place =
            |_| Worker { next: AtomicUsize::new(0), asleep: AtomicBool::new(false), thread: OnceLock::new() };
        Team {
            busy: AtomicBool::new(false),
            state: JobState::new(),
            processor: AtomicUsize::new(usize::MAX),
            job: AtomicPtr::new(core::ptr::null_mut()),
            places: (0..host_threads::capacity()).map(place).collect(),
        }
    });
    host_threads::start(team.places.len(), help);
    team
}

/// Makes the calling thread a helper of the pool, and does not return.
pub fn help(helper: usize) {
    team().help(helper);
}

impl Team {
    /// The caller has set `busy`.
    fn run(&self, len: usize, grain: usize, threads: usize, body: Body<'_>) {
        let cut = Cut::new(len, grain, threads);
        let (memory, failure) = (memory_budget::current(), Mutex::new(None));
        let job = Job { body, cut, memory, failure };
        for (k, place) in self.places[..threads].iter().enumerate() {
            place.next.store(k * cut.pieces, Ordering::Relaxed);
        }
        self.processor.store(processor::current().unwrap_or(usize::MAX), Ordering::Relaxed);
        self.job.store((&raw const job).cast_mut().cast(), Ordering::Relaxed);
        self.state.open();
        let closes = Closing(self);
        for place in &self.places[1..threads] {
            if place.asleep.load(Ordering::SeqCst)
                && let Some(thread) = place.thread.get()
            {
                thread.unpark();
            }
        }
        self.work(&job, 0);
        drop(closes);
        match job.failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => {}
            Some(Failure::Error(error)) => error.raise(),
            Some(Failure::Panic(panic)) => resume_unwind(panic),
        }
    }

    /// Does work until there is none.
    fn work(&self, job: &Job<'_>, place: usize) {
        let mut taken = Taken { team: self, cut: job.cut, place, passed: 0 };
        // A helper that comes too late for a piece does not begin.
        if let Some(first) = taken.next() {
            (job.body)(&mut core::iter::once(first).chain(taken));
        }
    }

    fn help(&self, place: usize) {
        let mut done = 0;
        let _ = self.places[place].thread.set(thread::current());
        let processors = Processors::of_this_thread();
        loop {
            done = self.await_job(place, done, processors);
            if !self.state.join(done) {
                continue;
            }
            // SAFETY: the caller keeps the job alive until the helpers that joined have left.
            let job: &Job<'_> = unsafe { &*self.job.load(Ordering::Relaxed) };
            let mut work = || match &job.memory {
                Some(scope) => scope.run(|| self.work(job, place)),
                None => self.work(job, place),
            };
            if place < job.cut.threads
                && let Err(failure) = caught(&mut work)
            {
                job.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
            }
            self.state.leave();
        }
    }

    /// The number of an open job other than `done`, once there is one.
    fn await_job(&self, place: usize, done: u64, processors: Option<Processors>) -> u64 {
        let place = &self.places[place];
        loop {
            let idle = Stopwatch::start();
            while idle.is_below(PATIENCE) {
                self.step_aside(processors);
                for _ in 0..100 {
                    if let Some(job) = self.state.open_job(done) {
                        return job;
                    }
                    core::hint::spin_loop();
                }
            }
            place.asleep.store(true, Ordering::SeqCst);
            if self.state.open_job_at_last(done).is_none() {
                thread::park();
            }
            // A helper that was woken too late for a job stays awake for the next one.
            place.asleep.store(false, Ordering::Relaxed);
        }
    }

    /// Goes to another processor, if this one is that of the caller.
    fn step_aside(&self, processors: Option<Processors>) {
        if let (Some(processors), Some(here)) = (processors, processor::current())
            && here == self.processor.load(Ordering::Relaxed)
        {
            processors.leave(here);
        }
    }
}

/// Pieces that a thread takes: first those of its own share, then what the others have left.
struct Taken<'a> {
    team: &'a Team,
    cut: Cut,
    place: usize,
    /// Shares that have no pieces any more, from that of the thread on.
    passed: usize,
}

impl Iterator for Taken<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let Cut { threads, pieces, .. } = self.cut;
        while self.passed < threads {
            let owner = (self.place + self.passed) % threads;
            let (next, end) = (&self.team.places[owner].next, (owner + 1) * pieces);
            // A look first: to add waits for all that this thread has written, and takes the counter from its
            // owner.
            let is_done = next.load(Ordering::Relaxed) >= end;
            let piece = if is_done { end } else { next.fetch_add(1, Ordering::Relaxed) };
            if piece >= end {
                self.passed += 1;
                continue;
            }
            let range = self.cut.piece(piece);
            if !range.is_empty() {
                return Some(range);
            }
        }
        None
    }
}

fn caught(work: &mut dyn FnMut()) -> Result<(), Failure> {
    match catch_unwind(AssertUnwindSafe(|| kernel_error::catch(work))) {
        Ok(outcome) => outcome.map_err(Failure::Error),
        Err(panic) => Err(Failure::Panic(panic)),
    }
}

/// Closes a job and waits for its helpers, also when the caller's part panics.
struct Closing<'a>(&'a Team);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.state.close();
        self.0.busy.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::miri::shrink;
    use std::sync::atomic::AtomicU32;

    const LONGEST: usize = shrink(usize::MAX, 100);
    const ROUNDS: u32 = shrink(200, 3);

    fn visits(len: usize, threads: usize) -> u32 {
        let hits: Vec<AtomicU32> = (0..len).map(|_| AtomicU32::new(0)).collect();
        share(len, 1, threads, &|pieces| {
            pieces.flatten().for_each(|i| {
                hits[i].fetch_add(1, Ordering::Relaxed);
            });
        });
        assert!(hits.iter().all(|hit| hit.load(Ordering::Relaxed) == 1));
        len as u32
    }

    #[test]
    fn shares_are_equal_and_their_last_pieces_short() {
        for (len, grain, threads) in [
            (17, 1, 2),
            (66, 1, 2),
            (20, 3, 2),
            (5, 2, 2),
            (3, 1, 3),
            (100_003, 7, 3),
            (4096, 1, 8),
            (usize::MAX, 1, 2),
        ] {
            let cut = Cut::new(len, grain, threads);
            let pieces: Vec<Range<usize>> = (0..threads * cut.pieces).map(|k| cut.piece(k)).collect();
            assert_eq!((pieces[0].start, pieces[pieces.len() - 1].end), (0, len));
            assert!(pieces.windows(2).all(|pair| pair[0].end == pair[1].start), "{cut:?}: {pieces:?}");
            let shares: Vec<usize> =
                pieces.chunks(cut.pieces).map(|share| share.iter().map(Range::len).sum()).collect();
            let (least, most) =
                (shares.iter().min().expect("a share"), shares.iter().max().expect("a share"));
            assert!(most - least < 2 * cut.unit, "{cut:?}: {shares:?}");
            for (share, len) in pieces.chunks(cut.pieces).zip(shares) {
                assert!(
                    share.iter().all(|piece| piece.len() + 1 >= (grain / 4).min(len)),
                    "{cut:?}: {share:?}"
                );
                let last = share[cut.pieces - 1].len();
                assert!(last <= (len >> (cut.pieces - 1)) + cut.unit, "{cut:?}: {share:?}");
            }
        }
    }

    #[test]
    fn every_index_is_visited_once_by_however_many_threads() {
        for len in [1, 2, 3, 7, 64, 1000, 4097].into_iter().filter(|&len| len < LONGEST) {
            for threads in [1, 2, 3, 64] {
                visits(len, threads);
            }
        }
    }

    // There are no threads in WebAssembly.
    #[cfg(not(target_family = "wasm"))]
    #[test]
    fn calls_from_several_threads_and_calls_within_calls_are_done() {
        let sum = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..ROUNDS {
                        share(8, 1, 2, &|pieces| {
                            for _ in pieces.flatten() {
                                sum.fetch_add(visits(5, 2), Ordering::Relaxed);
                            }
                        });
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 4 * ROUNDS * 8 * 5);
    }

    // A panic ends a program in WebAssembly.
    #[cfg(not(target_family = "wasm"))]
    #[test]
    fn a_panic_reaches_the_caller_and_the_next_call_works() {
        for bad in [0, 50, 99] {
            let caught = catch_unwind(|| {
                share(100, 1, 2, &|pieces| {
                    pieces.for_each(|range| assert!(!range.contains(&bad), "found {bad}"))
                });
            });
            let panic = caught.expect_err("one range has it");
            assert_eq!(panic.downcast_ref::<std::string::String>().map(|text| &text[..5]), Some("found"));
            visits(1000, 2);
        }
    }

    #[test]
    fn a_thread_is_called_once_with_all_its_pieces() {
        for threads in [1, 2, 3] {
            let (calls, sum) = (AtomicU32::new(0), AtomicU32::new(0));
            share(1000, 1, threads, &|pieces| {
                calls.fetch_add(1, Ordering::Relaxed);
                sum.fetch_add(pieces.map(|range| range.len() as u32).sum(), Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), 1000);
            assert!((1..=threads as u32).contains(&calls.into_inner()));
        }
    }

    #[test]
    fn helpers_that_sleep_are_woken() {
        visits(1000, 2);
        thread::sleep(PATIENCE * 50);
        visits(1000, 2);
    }
}
