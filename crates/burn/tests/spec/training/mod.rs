//! Training: optimizers, metrics, the learner.

mod devices;
mod learner;
mod learning_rates;
mod metrics;
mod optim;
mod optimizers;
mod precision;
mod runs;
mod watched;
