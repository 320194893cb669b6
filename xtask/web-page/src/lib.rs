//! Builds pages with WebAssembly, serves them, and opens them in Chromium without a window, for the examples
//! that run in browsers.

mod accessibility;
mod chromium;
mod page;
mod request;
mod server;

pub use accessibility::{accessibility_files, assert_accessible};
pub use chromium::{Chromium, Graphics};
pub use page::{Page, Profile};
pub use server::{Posted, Server};

/// Error of building or showing a page.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
