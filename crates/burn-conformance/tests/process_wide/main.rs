//! State that a process has once: a default server, a default slot of a router, counters of fusion.

mod defaults;
mod fusion_report;

/// The server of `defaults`: this test in a process of its own.
#[test]
fn serve() {
    defaults::serve();
}
