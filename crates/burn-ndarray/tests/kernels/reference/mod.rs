//! Every operation against the minimal backend, which computes element by element in `f64`: swept over
//! dtypes, memory layouts and sizes on both sides of every block length.

mod elementwise;
mod network;
mod order;
mod pair;
mod views;
