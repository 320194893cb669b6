//! Messages for programs that are wrong.

mod debug;
mod golden;
mod layers;
mod misuse;
mod rejected;
