//! Parts of kernels for crates that add operations to this backend, such as `burn-cubecl-linalg`.
//!
//! A kernel is a type that implements [`Kernel`]: it writes its body into a [`Body`], and [`launch`] or
//! [`launch_cubes`] runs it on tensors. Its sizes and strides are words, which [`launch_words!`] names.
//! The operations here take and return tensors; a [`Program`] is several elementwise ones in one launch.
//!
//! ```
//! use burn_backend::HasSpec;
//! use burn_cubecl::CubeTensor;
//! use burn_cubecl::kernels::{A, Body, Kernel, LaunchWords, launch, launch_words, position, word};
//! use cubecl::prelude::*;
//!
//! launch_words! {
//!     struct Sizes {
//!         count: u32,
//!     }
//! }
//!
//! #[cube]
//! fn double<E: Numeric>(x: &Array<E>, out: &mut Array<E>, sizes: &Sizes) {
//!     let at = position();
//!     if at < sizes.count {
//!         out[at as usize] = x[at as usize] + x[at as usize];
//!     }
//! }
//!
//! #[derive(Clone, Debug, PartialEq, Eq, Hash)]
//! struct Double;
//!
//! impl Kernel for Double {
//!     const NAME: &'static str = "double";
//!
//!     fn expand(&self, body: &mut Body) {
//!         let (x, out) = (body.array(0), body.array(1));
//!         let sizes = body.read::<Sizes>();
//!         double::expand::<A>(&mut body.scope, x, out, sizes);
//!     }
//! }
//!
//! /// Returns `x + x` of a tensor in row-major order.
//! fn doubled(x: &CubeTensor) -> CubeTensor {
//!     let out = CubeTensor::empty(x.spec().clone(), x.engine());
//!     let count = x.spec().shape.num_elements();
//!     launch(Double, &[x], &[&out], &Sizes { count: word(count) }.words(), count);
//!     out
//! }
//! # fn main() {}
//! ```

pub use crate::launch::dependent_launch::GRID_DEPENDENCY_WAIT;
pub use crate::launch::element::stored_size;
pub use crate::launch::kernel::{A, B, Body, Kernel, launch, launch_cubes};
pub use crate::launch::strides::{broadcast, position};
#[doc(inline)]
pub use crate::launch::words::launch_words;
pub use crate::launch::words::{LaunchWords, word};
pub use crate::ops::accumulate::partial;
pub use crate::ops::block::Program;
pub use crate::ops::create::{full, range};
pub use crate::ops::elementwise::{binary, cast, compare_scalar, row_major, unary, wide};
pub use crate::ops::index::gather_;
pub use crate::ops::layout::{cat, copied, expand, transpose};
pub use crate::ops::math::{is_not_a_number, nan};
pub use crate::ops::matmul::{Factor, Matrices, View, by_kernel, first_of, subtract_product};
pub use crate::ops::reduce::{reduce, reduce_with_indices};
pub use crate::ops::sort::sort_with_indices;
