//! State of each thread.

use super::state::State;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, Ordering};

static WATCHED: AtomicBool = AtomicBool::new(false);

std::thread_local! {
    static STATE: Cell<State> = const { Cell::new(State::FIRST) };
}

/// Has threads keep scopes from now on, until the process ends.
pub fn watch() {
    if !is_watched() {
        WATCHED.store(true, Ordering::Relaxed);
    }
}

/// Returns whether scopes are kept: one atomic load.
#[inline]
pub fn is_watched() -> bool {
    WATCHED.load(Ordering::Relaxed)
}

pub fn state() -> State {
    // At the end of a thread its storage is gone.
    STATE.try_with(Cell::get).unwrap_or(State::FIRST)
}

pub fn set(state: State) {
    let _ = STATE.try_with(|cell| cell.set(state));
}
