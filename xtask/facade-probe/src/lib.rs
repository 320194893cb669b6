//! Programs that name what `burn` has with all of its backends, as examples. `cargo xtask check` compiles
//! them.
