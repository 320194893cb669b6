//! Which of several kernels computes a call: a model says it at once, measurements correct it later (decision
//! 25).

mod contest;
mod file;
mod key;
mod mode;
mod record;
mod trial;
mod tuner;
mod worker;

pub use key::Key;
pub use mode::Autotune;
pub use trial::{Trial, timed};
pub use tuner::{Answer, Choice, MakeTrial, Question, Tuner, Why};
pub use worker::is_worker;
