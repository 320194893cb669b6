//! The surface of tensors beyond the basic table.

mod create;
mod dtypes;
mod einsum;
mod elementwise;
mod empty;
mod indices;
mod int_bool;
mod parts;
mod reduce;
mod twins;
