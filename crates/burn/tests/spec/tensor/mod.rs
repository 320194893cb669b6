//! Tensors: creation, operations of each kind, forms of calls.

mod activation;
mod assertions;
mod basic;
mod bool;
mod call_forms;
mod closeness;
mod creation;
mod display;
mod dyn_tensor;
mod elements;
mod empty;
mod extras;
mod float;
mod forms;
mod int;
mod kinds;
mod network;
mod numeric;
mod options;
mod random;
mod surface;
