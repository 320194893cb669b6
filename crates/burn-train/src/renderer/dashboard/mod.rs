//! The dashboard of a terminal.
//!
//! [`state`] is all that is shown and what keys do to it, [`view`] draws it, [`terminal`] takes the
//! terminal and gives it back, [`renderer`] runs the thread that draws and listens.

mod curve;
mod keys;
mod renderer;
mod state;
mod terminal;
mod view;

pub use renderer::DashboardRenderer;
