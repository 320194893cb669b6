//! Tables of numbers that kernels read, kept on their devices: the next call of the same sizes uploads
//! nothing.

use crate::device::engine::Engine;
use crate::launch::tensor::CubeTensor;
use burn_backend::HasSpec;
use std::collections::VecDeque;
use std::sync::Mutex;

/// Tables that are kept, and words of all of them.
const MOST: usize = 64;
const MOST_WORDS: usize = 1 << 22;

#[derive(Debug)]
struct Table {
    name: String,
    words: CubeTensor,
}

/// Those that were used last come first.
static KEPT: Mutex<VecDeque<Table>> = Mutex::new(VecDeque::new());

fn is_of(table: &Table, engine: &'static dyn Engine) -> bool {
    std::ptr::addr_eq(table.words.engine(), engine)
}

/// The table of this name, made now if it was not used lately.
pub fn table(name: String, engine: &'static dyn Engine, make: impl FnOnce() -> CubeTensor) -> CubeTensor {
    if let Some(words) = found(&name, engine) {
        return words;
    }
    let words = make();
    if words.spec().shape.num_elements() <= MOST_WORDS {
        keep(Table { name, words: words.clone() });
    }
    words
}

fn found(name: &str, engine: &'static dyn Engine) -> Option<CubeTensor> {
    let mut kept = KEPT.lock().expect("nobody panics while it is held");
    let at = kept.iter().position(|table| table.name == name && is_of(table, engine))?;
    let table = kept.remove(at)?;
    let words = table.words.clone();
    kept.push_front(table);
    Some(words)
}

fn keep(table: Table) {
    let mut kept = KEPT.lock().expect("nobody panics while it is held");
    kept.push_front(table);
    let count = |table: &Table| table.words.spec().shape.num_elements();
    let mut words: usize = kept.iter().map(count).sum();
    while kept.len() > MOST || words > MOST_WORDS {
        let Some(last) = kept.pop_back() else { return };
        words -= count(&last);
    }
}

/// Forgets the tables of a device on which something failed: perhaps there was no room for one of them.
pub fn forget(engine: &'static dyn Engine) {
    KEPT.lock().expect("nobody panics while it is held").retain(|table| !is_of(table, engine));
}
