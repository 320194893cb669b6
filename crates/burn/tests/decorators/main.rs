//! Backends around backends, with models on them.

mod amp;
mod capture;
mod profile;
mod router;
