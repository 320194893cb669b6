//! The programs are in `examples/`: the same few lines on a leaf, with gradients, and with fusion.
//! `cargo xtask lines` counts the LLVM lines that each compiles for itself, and
//! `cargo xtask bench --build` times the rebuild after one changed line.
