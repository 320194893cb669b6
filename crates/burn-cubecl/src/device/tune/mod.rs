//! Which of several kernels computes a call: a model says it at once, measurements correct it later (decision
//! 25).

mod contest;
mod file;
mod key;
mod mode;
mod record;
mod timed;
mod trial;
mod tuner;
mod worker;

pub use key::Key;
pub use mode::Autotune;
pub use timed::timed;
pub use trial::{MakeTrial, Trial};
pub use tuner::{Answer, Choice, Question, Tuner, Why};
pub use worker::is_worker;
