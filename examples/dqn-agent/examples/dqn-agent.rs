//! Trains an agent to balance a pole on a cart, and plays episodes with what it has learnt.
//!
//! ```text
//! cargo run --release --package dqn-agent --example dqn-agent
//! ```

use burn::backend::{Autodiff, NdArray};
use burn::module::Module;
use burn::record::CompactRecorder;
use clap::Parser;
use dqn_agent::evaluation::{leaning_mean_length, mean_length, random_mean_length};
use dqn_agent::q_network::QNetwork;
use dqn_agent::training::{Progress, TrainingConfig, train};
use std::error::Error;
use std::path::PathBuf;

/// Train an agent to balance a pole on a cart.
#[derive(Parser, Debug)]
pub struct Args {
    /// Steps that the agent takes while it learns.
    #[arg(long, default_value_t = 30_000)]
    steps: usize,
    /// Seed of the run.
    #[arg(long, default_value_t = 42)]
    seed: u64,
    /// Folder that the trained network is written into.
    #[arg(long, value_name = "DIR", default_value = "artifacts/dqn-agent")]
    artifacts: PathBuf,
}

/// Mean lengths of 100 episodes; 500 is the most.
#[derive(Clone, Copy, Debug)]
pub struct Lengths {
    pub trained: f64,
    pub random: f64,
    pub leaning: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let lengths = run(&Args::parse())?;
    println!("mean length of 100 episodes, at most 500");
    println!("  trained agent:                    {:5.1}", lengths.trained);
    println!("  random actions:                   {:5.1}", lengths.random);
    println!("  pushes to where the pole leans:   {:5.1}", lengths.leaning);
    Ok(())
}

/// Trains, saves the network, and plays.
pub fn run(args: &Args) -> Result<Lengths, Box<dyn Error>> {
    const EPISODES: usize = 100;
    let config = TrainingConfig::new().with_steps(args.steps).with_seed(args.seed);
    let device = Default::default();
    let policy: QNetwork<NdArray> = train::<Autodiff<NdArray>>(&config, &device, |progress| {
        let Progress { steps, episodes, mean_length } = progress;
        println!("step {steps:6}  episodes {episodes:4}  mean length of the policy {mean_length:5.1}");
    });
    std::fs::create_dir_all(&args.artifacts)?;
    policy.clone().save_file(args.artifacts.join("policy"), &CompactRecorder::new())?;
    // Episodes that neither training nor the choice of the policy has seen.
    let seed = args.seed + 1;
    Ok(Lengths {
        trained: mean_length(EPISODES, seed, |state| policy.best_action(state.features(), &device)),
        random: random_mean_length(EPISODES, seed),
        leaning: leaning_mean_length(EPISODES, seed),
    })
}
