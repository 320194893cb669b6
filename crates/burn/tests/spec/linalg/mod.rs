//! Linear algebra, transforms and windows.

mod forms;
mod functions;
mod signal;
