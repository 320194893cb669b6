//! Backends, decorators around them, and what all of them promise.

mod allocation;
mod any_backend;
mod decoding;
mod decorators;
mod facade;
mod generic;
mod memory;
mod performance;
mod promises;
