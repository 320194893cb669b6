use crate::Model;
use crate::digit::{Digit, SIZE};
use alloc::vec::Vec;
use burn::backend::NdArray;
use burn::tensor::{Tensor, TensorData};
use core::fmt::{Display, Formatter, Result};

/// Digit as the network reads it.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The digit of the largest logit.
    pub class: u8,
    /// Logits of the ten digits.
    pub logits: Vec<f32>,
    /// The digit that was written.
    pub label: u8,
}

// ANCHOR: read
/// Returns what the network makes of a digit: one forward pass.
pub fn read(model: &Model<NdArray>, digit: Digit) -> Reading {
    let pixels: Vec<f32> = digit.pixels.iter().map(|&pixel| f32::from(pixel)).collect();
    let image = Tensor::from_data(TensorData::new(pixels, [1, 1, SIZE, SIZE]), &Default::default());
    let logits: Vec<f32> = model.forward(image).into_data().iter().collect();
    let largest = logits.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b));
    let class = largest.map_or(0, |(class, _)| class as u8);
    Reading { class, logits, label: digit.label }
}
// ANCHOR_END: read

impl Display for Reading {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "a {} is read as {}", self.label, self.class)
    }
}
