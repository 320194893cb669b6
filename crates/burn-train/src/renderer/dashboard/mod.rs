//! The dashboard of a terminal.
//!
//! [`state`] is all that is shown, [`keys`] and [`mouse`] change it, [`view`] draws it, [`terminal`] takes
//! the terminal and gives it back, [`renderer`] runs the thread that draws, [`listener`] the one that reads
//! what [`input`] parses.

#[cfg_attr(not(unix), allow(dead_code, reason = "the console of Windows sends events, not bytes"))]
mod input;
mod keys;
mod listener;
mod mouse;
mod renderer;
#[cfg(unix)]
mod signals;
mod state;
mod tabs;
mod terminal;
mod view;

pub use renderer::DashboardRenderer;
