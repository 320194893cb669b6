//! ONNX models: read from files, run on any backend, turned into Rust source, and written from modules.
//!
//! An operator is defined once, as calls of the tensor API ([`operators`]); [`run::Graph`] executes these
//! calls, and the generator writes them as source. Decision 31 says why.
// Items carry the feature that they need, where rustdoc can do that: docs.rs and nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod budget;
pub mod builder;
pub mod calls;
mod cancel_token;
mod charge;
mod error;
#[cfg(feature = "export")]
pub mod export;
#[cfg(feature = "generate")]
pub mod generate;
pub mod graph;
mod limits;
pub mod operators;
pub mod program;
mod proto;
#[cfg(feature = "run")]
pub mod run;
#[cfg(feature = "run")]
mod tape;
pub mod translate;
pub mod value;

pub use cancel_token::CancelToken;
pub use error::{OnnxError, Outcome, Reason, UnsupportedOperator};
#[cfg(feature = "export")]
pub use export::OnnxExport;
#[cfg(feature = "generate")]
pub use generate::{ModelGen, RecordType};
pub use graph::Model;
pub use limits::Limits;
pub use program::Program;
pub use proto::ElementType;
#[cfg(feature = "run")]
pub use run::{Graph, RunValue};
