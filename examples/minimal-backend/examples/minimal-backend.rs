//! Tensors of a program on the backend of this crate.
//!
//! ```text
//! cargo run --example minimal-backend
//! ```

use burn::tensor::{Tensor, activation};
use minimal_backend::{Toy, ToyDevice};

fn main() {
    let x = Tensor::<Toy, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &ToyDevice);
    println!("{}", x.clone().matmul(x.clone()).into_data());
    println!("{}", activation::relu(x - 2).into_data());
}
