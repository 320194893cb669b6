//! TU: the programs of the tutorial, each with the imports that it shows.

mod batches;
mod configs;
mod convolutions;
mod creation_and_printing;
mod gradients;
mod losses;
mod optimizers;
mod ownership_and_operations;
mod perceptrons;
mod saving;
mod xor;
