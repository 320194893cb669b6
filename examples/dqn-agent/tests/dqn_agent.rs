//! The program with fewer steps.

#[path = "../examples/dqn-agent.rs"]
#[allow(dead_code, reason = "its `main` is not called here")]
mod program;

use clap::Parser;

#[test]
fn an_agent_balances_far_longer_than_random_actions() {
    let folder = tempfile::tempdir().unwrap();
    let artifacts = folder.path().to_str().unwrap();
    let arguments = ["dqn-agent", "--steps", "5000", "--artifacts", artifacts];
    let lengths = program::run(&program::Args::parse_from(arguments)).unwrap();
    // The threshold of the README.
    assert!(lengths.random < 30.0 && lengths.leaning < 60.0, "{lengths:?}");
    assert!(lengths.trained > 150.0, "{lengths:?}");
    assert!(folder.path().join("policy.mpk").is_file());
}
