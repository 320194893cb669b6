//! Elementary functions, each one formula without branches or calls where loops over it should vectorise.

pub(crate) mod double;
mod float;
mod single;

pub(crate) use float::Float;
