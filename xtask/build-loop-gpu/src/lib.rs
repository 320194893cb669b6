//! The program is in `examples/`: that of `build-loop` with gradients, on a GPU. It stands alone so that no
//! default command builds what GPUs need. `cargo xtask bench --build-gpu` times the rebuild after one changed
//! line.
