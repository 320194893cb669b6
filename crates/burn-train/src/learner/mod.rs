//! The training loop.
//!
//! [`training_loop`] and [`epoch`] say what happens when, and know no types: they ask a
//! [`Workload`](workload::Workload). The learner is the workload of a model, an optimizer and a
//! scheduler, and does nothing else, so that a program compiles little of its own.

mod metric_slot;
mod run_seed;
mod training_loop;
mod workload;
