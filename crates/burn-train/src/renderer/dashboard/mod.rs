//! The dashboard of a terminal.
//!
//! [`state`] is all that is shown, [`keys`] and [`mouse`] change it, [`view`] draws it, [`terminal`] takes the
//! terminal and gives it back, [`renderer`] runs the thread that draws and listens.

mod keys;
mod mouse;
mod renderer;
mod state;
mod tabs;
mod terminal;
mod view;

pub use renderer::DashboardRenderer;
