use crate::config::{Frequencies, RopeConfig};
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

/// Cosines and sines of the rows of a call, `[rows, 1, rotated elements]`.
#[derive(Clone, Debug)]
pub struct RotaryRows<B: Backend> {
    cos: Tensor<B, 3>,
    sin: Tensor<B, 3>,
    interleaved: bool,
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
        let [cos, sin] = self.data(positions).map(|data| Tensor::from_data(data, device));
        self.of_tensors(cos, sin)
    }

    /// The rows whose cosines and sines these are.
    pub fn of_tensors<B: Backend>(&self, cos: Tensor<B, 3>, sin: Tensor<B, 3>) -> RotaryRows<B> {
        RotaryRows { cos, sin, interleaved: self.interleaved }
    }

    /// Cosines and sines of `positions`, `[positions, 1, rotated elements]`.
    pub fn data(&mut self, positions: impl Iterator<Item = usize> + Clone) -> [TensorData; 2] {
        let dims = self.dims();
        self.extend(positions.clone().max().map_or(0, |last| last + 1));
        let count = positions.clone().count();
        let gather = |table: &[f32]| {
            let mut rows = Vec::with_capacity(count * dims);
            for position in positions.clone() {
                rows.extend_from_slice(&table[position * dims..(position + 1) * dims]);
            }
            TensorData::new(rows, [count, 1, dims])
        };
        [gather(&self.cos), gather(&self.sin)]
    }
}

impl<B: Backend> RotaryRows<B> {
    /// Rotates heads, `[rows, heads, d_head]`.
    pub fn rotate(&self, x: Tensor<B, 3>) -> Tensor<B, 3> {
        let [rows, heads, d_head] = x.dims();
        let [_, _, dims] = self.cos.dims();
        let (x, rest) = match dims == d_head {
            true => (x, None),
            false => (x.clone().narrow(2, 0, dims), Some(x.narrow(2, dims, d_head - dims))),
        };
        // Elements of a pair are exchanged by reading a dimension of 2 backwards, which copies nothing.
        let pairs = dims / 2;
        let (split, backwards) = if self.interleaved { ([pairs, 2], 3) } else { ([2, pairs], 2) };
        let parts = |x: Tensor<B, 3>| {
            let [rows, heads, _] = x.dims();
            x.reshape([rows, heads, split[0], split[1]])
        };
        let (x, cos, sin) = (parts(x), parts(self.cos.clone()), parts(self.sin.clone()));
        let rotated = x.clone() * cos + x.flip([backwards]) * sin;
        let rotated = rotated.reshape([rows, heads, dims]);
        match rest {
            Some(rest) => Tensor::cat(vec![rotated, rest], 2),
            None => rotated,
        }
    }
}
