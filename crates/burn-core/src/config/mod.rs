//! Options with defaults, kept as JSON.

mod error;
mod field_check;
mod fields;
mod json;
mod limits;

pub use burn_derive::Config;
pub use error::ConfigError;
pub use field_check::FieldCheck;
pub use json::Config;

#[doc(hidden)]
pub mod derive {
    pub use super::fields::{FieldError, Fields, FromFields, FromVariant, read_struct, read_variant};
    pub use super::json::display;
    pub use serde;
}
