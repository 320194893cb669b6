use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;
use core::cell::RefCell;
use core::mem;

/// Recorded random draws of a segment, in call order.
#[derive(Debug, Default)]
pub struct RecordedDraws(Vec<Draw>);

#[derive(Debug)]
enum Draw {
    /// `count` numbers of a counter-based generator: its seed and the first counter.
    Position { seed: u64, first: u64, count: u64 },
    /// A whole value, from a generator whose position is unknown.
    Value(Box<dyn Any + Send>),
}

/// One segment that is running.
enum Frame {
    Record(Vec<Draw>),
    /// Recorded draws still to be replayed, the next one last.
    Repeat(Vec<Draw>),
    /// Draws made while this frame is on top are not recorded by the frames below it.
    Aside,
    /// Numbers come from this separate stream instead of the shared generator.
    Own(Stream),
}

/// A random stream of its own: the seed, and the counter of the next number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stream {
    seed: u64,
    next: u64,
}

impl Stream {
    /// Creates the stream of a freshly seeded generator.
    pub fn new(seed: u64) -> Self {
        Stream { seed, next: 0 }
    }
}

thread_local! {
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// Takes the frame off again, also when the segment panics.
struct Running;

impl Running {
    fn start(frame: Frame) -> Self {
        FRAMES.with_borrow_mut(|frames| frames.push(frame));
        Running
    }

    fn finish(self) -> Option<Frame> {
        mem::forget(self);
        FRAMES.with_borrow_mut(Vec::pop)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        FRAMES.with_borrow_mut(Vec::pop);
    }
}

/// Runs `f`, and returns its draws on this thread.
pub fn recorded<R>(f: impl FnOnce() -> R) -> (R, RecordedDraws) {
    let running = Running::start(Frame::Record(Vec::new()));
    let result = f();
    match running.finish() {
        Some(Frame::Record(draws)) => (result, RecordedDraws(draws)),
        Some(Frame::Repeat(_) | Frame::Aside | Frame::Own(_)) | None => {
            unreachable!("frames end in the reverse order")
        }
    }
}

/// Runs `f`, whose numbers on this thread come from `stream`, which is advanced by them. A generator that
/// does not call [`position`] is not affected.
pub fn own<R>(stream: &mut Stream, f: impl FnOnce() -> R) -> R {
    let running = Running::start(Frame::Own(*stream));
    let result = f();
    match running.finish() {
        Some(Frame::Own(end)) => *stream = end,
        Some(Frame::Record(_) | Frame::Repeat(_) | Frame::Aside) | None => {
            unreachable!("frames end in the reverse order")
        }
    }
    result
}

/// Returns the next `count` numbers of the innermost owner, if there is one.
fn owned(count: u64) -> Option<(u64, u64)> {
    FRAMES.with_borrow_mut(|frames| {
        frames.iter_mut().rev().find_map(|frame| match frame {
            Frame::Own(stream) => {
                let first = stream.next;
                stream.next = first.wrapping_add(count);
                Some((stream.seed, first))
            }
            Frame::Record(_) | Frame::Repeat(_) | Frame::Aside => None,
        })
    })
}

/// Runs `f`, replaying the recorded `draws`.
///
/// # Panics
/// When `f` draws something else than before.
pub fn repeated<R>(mut draws: RecordedDraws, f: impl FnOnce() -> R) -> R {
    draws.0.reverse();
    let _running = Running::start(Frame::Repeat(draws.0));
    f()
}

/// Runs `f`, whose draws are not recorded in the enclosing segment: for work that happens only the first
/// time.
pub fn aside<R>(f: impl FnOnce() -> R) -> R {
    let _running = Running::start(Frame::Aside);
    f()
}

/// Returns the position of the next `count` numbers of a generator: seed and first counter. `next` returns it
/// and advances the generator; it is not called when a recorded draw is replayed.
pub fn position(count: u64, next: impl FnOnce() -> (u64, u64)) -> (u64, u64) {
    if FRAMES.with_borrow(Vec::is_empty) {
        return next();
    }
    let (seed, first) = match take() {
        Some(Draw::Position { seed, first, count: before }) if before == count => (seed, first),
        Some(_) => panic!("{CHANGED}"),
        None => owned(count).unwrap_or_else(next),
    };
    note(|| Draw::Position { seed, first, count });
    (seed, first)
}

/// Returns the random value of `make`, or the recorded one in a replay. The value itself is recorded if no
/// generator gave its position.
pub fn made<T: Clone + Send + 'static>(make: impl FnOnce() -> T) -> T {
    if FRAMES.with_borrow(Vec::is_empty) {
        return make();
    }
    if let Some(value) = kept() {
        let value = *value.downcast::<T>().unwrap_or_else(|_| panic!("{CHANGED}"));
        note(|| Draw::Value(Box::new(value.clone())));
        return value;
    }
    let before = noted();
    let value = make();
    if noted() == before {
        note(|| Draw::Value(Box::new(value.clone())));
    }
    value
}

const CHANGED: &str = "a segment of a program that runs twice drew other random numbers the second time";

/// Returns the frames that record or replay a draw, the innermost first.
fn seen(frames: &mut [Frame]) -> impl Iterator<Item = &mut Frame> {
    let above = frames.iter_mut().rev().take_while(|frame| !matches!(frame, Frame::Aside));
    above.filter(|frame| !matches!(frame, Frame::Own(_)))
}

/// Takes the recorded draw to be replayed next.
fn take() -> Option<Draw> {
    FRAMES.with_borrow_mut(|frames| {
        let mut repeats = seen(frames).filter_map(|frame| match frame {
            Frame::Repeat(draws) => Some(draws),
            Frame::Record(_) | Frame::Aside | Frame::Own(_) => None,
        });
        repeats.next().map(|draws| draws.pop().unwrap_or_else(|| panic!("{CHANGED}")))
    })
}

/// Takes the recorded value to be replayed next, if the draw is one.
fn kept() -> Option<Box<dyn Any + Send>> {
    let is_kept = FRAMES.with_borrow_mut(|frames| {
        let repeat = seen(frames).find_map(|frame| match frame {
            Frame::Repeat(draws) => Some(matches!(draws.last(), Some(Draw::Value(_)))),
            Frame::Record(_) | Frame::Aside | Frame::Own(_) => None,
        });
        repeat == Some(true)
    });
    match if is_kept { take() } else { None } {
        Some(Draw::Value(value)) => Some(value),
        Some(Draw::Position { .. }) | None => None,
    }
}

/// Passes each repetition to the frames that record inside of it.
fn note(draw: impl Fn() -> Draw) {
    FRAMES.with_borrow_mut(|frames| {
        for frame in seen(frames) {
            match frame {
                Frame::Record(draws) => draws.push(draw()),
                Frame::Repeat(_) | Frame::Aside | Frame::Own(_) => break,
            }
        }
    });
}

fn noted() -> usize {
    FRAMES.with_borrow_mut(|frames| match seen(frames).next() {
        Some(Frame::Record(draws)) => draws.len(),
        // A repetition keeps nothing, so nothing has to be counted.
        Some(Frame::Repeat(draws)) => usize::MAX - draws.len(),
        Some(Frame::Aside | Frame::Own(_)) | None => 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws from an unseeded generator.
    fn draw(count: u64) -> (u64, u64) {
        position(count, || (0, 100))
    }

    #[test]
    fn an_owner_draws_from_its_own_stream_and_nobody_else_does() {
        let (mut one, mut other) = (Stream::new(7), Stream::new(8));
        assert_eq!(own(&mut one, || (draw(3), draw(2))), ((7, 0), (7, 3)));
        assert_eq!(own(&mut other, || draw(5)), (8, 0));
        assert_eq!(draw(1), (0, 100));
        assert_eq!(own(&mut one, || draw(1)), (7, 5));
        assert_eq!(own(&mut one, || aside(|| draw(1))), (7, 6));
        assert_eq!(own(&mut other, || own(&mut one, || draw(1))), (7, 7));
    }

    #[test]
    fn a_segment_is_repeated_within_an_owner() {
        let mut stream = Stream::new(7);
        own(&mut stream, || {
            let (first, draws) = recorded(|| (draw(3), draw(2)));
            assert_eq!(draw(1), (7, 5));
            assert_eq!(repeated(draws, || (draw(3), draw(2))), first);
            assert_eq!(draw(1), (7, 6));
        });
    }
}
