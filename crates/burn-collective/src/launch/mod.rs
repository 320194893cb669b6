//! Environment variables that launchers and users set (decision 0050).

mod settings;
mod variables;
mod world;

pub(crate) use settings::Settings;
pub use variables::LaunchVariables;
