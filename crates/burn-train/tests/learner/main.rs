//! The learner with a small model, a real optimizer and real files.

mod accumulation;
mod artifacts;
mod bad_input;
mod callbacks;
#[path = "../../../burn-collective/tests/collectives/counting_engine.rs"]
mod counting_engine;
mod data_parallel;
mod early_stopping;
mod evaluator;
#[path = "../fixture/mod.rs"]
mod fixture;
mod full_disk;
mod gradients;
mod interrupt;
mod loss_scale;
mod lr_finder;
mod not_a_number;
mod precision;
mod rank_metrics;
mod renderer;
mod scheduler;
mod watching;
