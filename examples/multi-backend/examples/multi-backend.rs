//! Trains one model on two backends, and prints what each of them computed.
//!
//! ```text
//! cargo run --release --example multi-backend
//! ```

use multi_backend::{Both, DEVICES, First, Second, train};

fn main() {
    let (model, losses) = train::<Both>(&DEVICES, 200);
    println!("encoder on {:?}, head on {:?}", model.encoder.weight.device(), model.head.weight.device());
    println!("loss {:.3} to {:.3} in {} steps\n", losses[0], losses[losses.len() - 1], losses.len());
    println!("first backend\n{}", First::report());
    println!("second backend\n{}", Second::report());
}
