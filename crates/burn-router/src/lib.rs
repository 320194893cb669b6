//! Several backends as one: a tensor belongs to the backend of its device.
//!
//! `Router<(A, B)>` is a backend with the devices of both, [`duo::MultiDevice::B1`] and
//! [`duo::MultiDevice::B2`], and so on for up to six backends. A call runs where its operands are;
//! `to_device` moves a tensor, through the host when the backends differ, and gradients go back the same way.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod duo;
mod misplaced;
pub mod quartet;
pub mod quintet;
mod router;
pub mod sextet;
mod slots;
pub mod trio;

pub use router::Router;
