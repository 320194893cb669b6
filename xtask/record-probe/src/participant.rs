use crate::training::{Continued, Trained, continue_from, train};
use burn::tensor::backend::AutodiffBackend;

/// A backend that saves models, and continues with those of others.
#[derive(Clone, Copy, Debug)]
pub struct Participant {
    name: &'static str,
    train: fn() -> Trained,
    continue_from: fn(&Trained) -> Continued,
}

impl Participant {
    pub fn new<B: AutodiffBackend>(name: &'static str) -> Self {
        Participant { name, train: train::<B>, continue_from: continue_from::<B> }
    }
}

/// How far outputs and losses of two backends may be apart, as a part of what they are, or of 1 where they
/// are less.
const TOLERANCE: f64 = 1e-3;

/// # Panics
/// When a number differs by more than the tolerance.
#[track_caller]
fn check_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let allowed = TOLERANCE * expected.abs().max(1.0);
        assert!((found - expected).abs() <= allowed, "{what}, {at}: expected {expected}, got {found}");
    }
}

/// Checks that a model which any of the backends trained continues on every one: it has the same outputs
/// there, and its losses are those of the first backend, had it gone on, and fall.
///
/// # Panics
/// When it does not.
pub fn check_all(participants: &[Participant]) {
    for from in participants {
        let trained = (from.train)();
        let (first, last) = (trained.losses[0], trained.losses[trained.losses.len() - 1]);
        assert!(last < 0.8 * first, "{}: the loss goes from {first} to {last}", from.name);
        for to in participants {
            let way = format!("from {} to {}", from.name, to.name);
            let continued = (to.continue_from)(&trained);
            check_close(&continued.outputs, &trained.outputs, &format!("outputs {way}"));
            check_close(&continued.losses, &trained.further_losses, &format!("losses {way}"));
            let end = continued.losses[continued.losses.len() - 1];
            assert!(end < 0.8 * last, "{way}: the loss goes from {last} to {end}");
        }
    }
}
