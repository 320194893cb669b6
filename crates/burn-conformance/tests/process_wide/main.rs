//! State that a process has once: a default server, a default slot of a router, counters of fusion.

mod fusion_report;
mod remote;
mod second_slot;

/// The server of `remote`: this test in a process of its own.
#[test]
fn serve() {
    remote::serve();
}
