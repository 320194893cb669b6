use burn_backend::rng_replay;
use spin::Mutex;

/// The seed, and the counters that calls have used.
struct Stream {
    seed: u64,
    next: u64,
}

static STREAM: Mutex<Stream> = Mutex::new(Stream { seed: 0, next: 0 });

/// Restarts the stream.
pub fn seed(seed: u64) {
    *STREAM.lock() = Stream { seed, next: 0 };
}

/// Reserves `count` counters, and returns the seed and the first one; a segment that is replayed gets its
/// earlier ones.
pub fn reserve(count: u64) -> (u64, u64) {
    rng_replay::position(count, || {
        let mut stream = STREAM.lock();
        let first = stream.next;
        stream.next = first.wrapping_add(count);
        (stream.seed, first)
    })
}
