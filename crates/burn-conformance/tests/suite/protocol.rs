//! A few thousand clients that say anything. `cargo xtask fuzz --protocol` goes on for longer.

use crate::session;
use burn_conformance::fuzz::Random;

#[test]
fn random_clients_are_answered_or_cut_off() {
    let mut random = Random::new(17);
    let (mut replies, mut data, mut faults, mut failures) = (0, 0, 0, Vec::new());
    for client in 0..3_000 {
        match session::run(&mut random) {
            Ok(outcome) => {
                replies += outcome.replies;
                data += outcome.data;
                faults += usize::from(outcome.fault);
            }
            Err(error) => failures.push(format!("client {client}: {error}")),
        }
    }
    let shown = failures.len().min(12);
    assert!(failures.is_empty(), "{} went wrong\n  {}", failures.len(), failures[..shown].join("\n  "));
    // None of this is rare.
    assert!(
        data > 5_000 && replies > 2 * data && faults > 500,
        "{data} of {replies} replies, {faults} faults"
    );
}
