use crate::config::{Frequencies, RopeConfig};
use burn_backend::reference;
use burn_core::tensor::{Backend, Tensor, TensorData};

/// Cosines and sines of rotary position encoding, computed once for each position and kept on the host.
///
/// A rotation is `x cos + swapped(x) sin`, where `swapped` exchanges the elements of a pair and the sine of
/// the first has a minus, so that both elements of a pair are one product.
#[derive(Clone, Debug)]
pub struct RotaryTable {
    frequencies: Frequencies,
    interleaved: bool,
    cos: Vec<f32>,
    sin: Vec<f32>,
}

/// Cosines and sines of the rows of a call.
#[derive(Clone, Debug)]
pub struct RotaryRows<B: Backend> {
    /// `[rows, 2, rotated elements]`.
    pub table: Tensor<B, 3>,
    /// Whether pairs are neighbours.
    pub interleaved: bool,
}

impl RotaryTable {
    pub fn new(config: &RopeConfig, d_head: usize) -> Self {
        RotaryTable {
            frequencies: config.frequencies(config.rotated(d_head)),
            interleaved: config.interleaved,
            cos: Vec::new(),
            sin: Vec::new(),
        }
    }

    fn dims(&self) -> usize {
        self.frequencies.pairs() * 2
    }

    fn extend(&mut self, positions: usize) {
        let dims = self.dims();
        let magnitude = self.frequencies.magnitude;
        for position in self.cos.len() / dims..positions {
            let angles = self.frequencies.angles(position);
            let pairs = angles.iter().map(|angle| {
                let (sin, cos) = angle.sin_cos();
                ((cos * magnitude) as f32, (sin * magnitude) as f32)
            });
            if self.interleaved {
                for (cos, sin) in pairs {
                    self.cos.extend([cos, cos]);
                    self.sin.extend([-sin, sin]);
                }
            } else {
                let (cos, sin): (Vec<f32>, Vec<f32>) = pairs.unzip();
                self.cos.extend_from_slice(&cos);
                self.cos.extend_from_slice(&cos);
                self.sin.extend(sin.iter().map(|sin| -sin));
                self.sin.extend_from_slice(&sin);
            }
        }
    }

    /// The rows of `positions`.
    pub fn rows<B: Backend>(
        &mut self,
        positions: impl Iterator<Item = usize> + Clone,
        device: &B::Device,
    ) -> RotaryRows<B> {
        let table = Tensor::from_data(self.data(positions), device);
        self.of_table(table)
    }

    /// The rows whose cosines and sines these are.
    pub fn of_table<B: Backend>(&self, table: Tensor<B, 3>) -> RotaryRows<B> {
        RotaryRows { table, interleaved: self.interleaved }
    }

    /// Cosines and sines of `positions`, `[positions, 2, rotated elements]`.
    pub fn data(&mut self, positions: impl Iterator<Item = usize> + Clone) -> TensorData {
        let dims = self.dims();
        self.extend(positions.clone().max().map_or(0, |last| last + 1));
        let count = positions.clone().count();
        let mut rows = Vec::with_capacity(count * 2 * dims);
        for position in positions {
            let own = position * dims..(position + 1) * dims;
            rows.extend_from_slice(&self.cos[own.clone()]);
            rows.extend_from_slice(&self.sin[own]);
        }
        TensorData::new(rows, [count, 2, dims])
    }
}

impl<B: Backend> RotaryRows<B> {
    /// Rotates heads, `[rows, heads, d_head]`.
    pub fn rotate(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let table = self.table.clone().into_handle();
        Tensor::from_handle(reference::rotary_embedding::<B>(x.into_handle(), &table, self.interleaved))
    }
}
