//! Tensors whose dimensions have names, which are types (experimental).
//!
//! Dimensions that do not match by name are compile errors; dimensions that do not match by size are run-time
//! errors, as everywhere.
//!
//! ```
//! use burn::tensor::named::NamedTensor;
//! use burn::tensor::{Tensor, backend::Backend};
//!
//! burn::tensor::named_dims!(Batch, Word, Feature, Class);
//!
//! fn classes<B: Backend>(
//!     words: NamedTensor<B, (Batch, Word, Feature)>,
//!     weight: NamedTensor<B, (Feature, Class)>,
//!     bias: NamedTensor<B, (Class,)>,
//! ) -> NamedTensor<B, (Class, Batch)> {
//!     let scores = words.mean::<Word, _>().matmul::<_, (Batch, Class)>(weight);
//!     (scores + bias.align::<(Batch, Class)>()).permute::<(Class, Batch)>()
//! }
//! ```
//!
//! Other names do not compile:
//!
//! ```compile_fail,E0308
//! use burn::tensor::named::NamedTensor;
//! use burn::tensor::{Tensor, backend::Backend};
//! burn::tensor::named_dims!(Row, Column);
//!
//! fn sum<B: Backend>(x: NamedTensor<B, (Row, Column)>, y: NamedTensor<B, (Column, Row)>) {
//!     let _ = x + y;
//! }
//! ```
//!
//! ```compile_fail,E0277
//! use burn::tensor::named::NamedTensor;
//! use burn::tensor::{Tensor, backend::Backend};
//! burn::tensor::named_dims!(Row, Column, Depth);
//!
//! fn sum<B: Backend>(x: NamedTensor<B, (Row, Column)>) {
//!     let _ = x.sum::<Depth, _>();
//! }
//! ```
//!
//! ```compile_fail,E0277
//! use burn::tensor::named::NamedTensor;
//! use burn::tensor::{Tensor, backend::Backend};
//! burn::tensor::named_dims!(Row, Column);
//!
//! fn named<B: Backend>(x: Tensor<B, 3>) -> NamedTensor<B, (Row, Column)> {
//!     x.into()
//! }
//! ```

mod dims;
mod lists;
mod operators;
mod tensor;

pub use crate::named_dims;
pub use dims::{At, Has, NamedDim, Names, Ranked};
pub use tensor::NamedTensor;
