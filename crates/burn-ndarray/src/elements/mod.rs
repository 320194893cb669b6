//! Elements of any dtype and spacing as the types of arithmetic.

pub mod arithmetic;
pub mod collapsed;
pub mod dtype;
pub mod load;
pub mod number;
pub mod pieces;
pub mod strided;
