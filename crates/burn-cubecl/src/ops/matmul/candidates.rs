//! Our kernels as candidates.

use super::call::{EpilogueArgs, Lie, MatmulCall};
use super::form::Form;
use super::model::{Machine, Sizes};
use crate::device::engine::Engine;
use crate::device::tune::{Autotune, Key, MakeTrial, Question, Trial, timed};
use crate::launch::element::stored_size;
use crate::launch::tensor::CubeTensor;
use crate::ops::create::full;
use burn_backend::*;
use std::time::Duration;

fn sizes(key: &Key) -> [usize; 4] {
    [0, 1, 2, 3].map(|at| key.sizes[at])
}

/// Layouts of the left and of the right operand: of each, whether rows or columns are contiguous, or neither.
const LAYOUTS: [[&str; 3]; 3] = [
    ["rows-rows", "rows-columns", "rows-apart"],
    ["columns-rows", "columns-columns", "columns-apart"],
    ["apart-rows", "apart-columns", "apart-apart"],
];

impl Question for MatmulCall<'_> {
    fn key(&self, mode: Autotune) -> Key {
        let [left, right] = self.lie();
        let bucket = |size| Key::bucket(size, mode);
        Key {
            operation: "matmul",
            dtype: self.dtype(),
            layout: LAYOUTS[left as usize][right as usize].into(),
            sizes: [self.batch, self.rows, self.cols, self.depth].into_iter().map(bucket).collect(),
        }
    }

    fn candidates(&self) -> Vec<String> {
        self.forms().iter().map(Form::to_string).collect()
    }

    fn advice(&self, key: &Key) -> usize {
        Sizes(sizes(key)).advice(&self.forms(), self.lie(), Machine::of(self.engine()))
    }

    fn work(&self, key: &Key) -> u64 {
        Sizes(sizes(key)).work()
    }

    fn room(&self, key: &Key) -> u64 {
        let [batch, rows, cols, depth] = sizes(key).map(|size| size as u64);
        // Operands may be every second number of theirs.
        let elements = 2 * (rows * depth + depth * cols) + rows * cols;
        batch * elements * stored_size(self.dtype()) as u64
    }

    fn trial(&self, key: &Key) -> MakeTrial {
        let (sizes, lie, forms) = (sizes(key), self.lie(), self.forms());
        let (dtype, engine) = (self.dtype(), self.engine());
        Box::new(move || {
            let [batch, rows, cols, depth] = sizes;
            let operand =
                |rows: usize, cols: usize, lie: Lie| operand([batch, rows, cols], dtype, lie, engine);
            let (lhs, rhs) = (operand(rows, depth, lie[0]), operand(depth, cols, lie[1]));
            let out = CubeTensor::empty(TensorSpec::new([batch, rows, cols], dtype), engine);
            Box::new(Products { forms, tensors: Some([lhs, rhs, out]), engine })
        })
    }
}

/// Ones that lie so.
fn operand(
    [batch, rows, cols]: [usize; 3],
    dtype: DType,
    lie: Lie,
    engine: &'static dyn Engine,
) -> CubeTensor {
    let ones = |shape: [usize; 3]| full(TensorSpec::new(shape, dtype), 1.0_f32.into(), engine);
    match lie {
        Lie::Rows => ones([batch, rows, cols]),
        Lie::Columns => {
            let strides = [rows * cols, 1, rows].into_iter().collect();
            ones([batch, cols, rows]).view(Shape::from([batch, rows, cols]), strides, 0)
        }
        // Every second number.
        Lie::Apart => {
            let strides = [2 * rows * cols, 2 * cols, 2].into_iter().collect();
            let whole = ones([batch, rows, 2 * cols]);
            whole.view(Shape::from([batch, rows, cols]), strides, 0)
        }
    }
}

/// A product on tensors of its own.
struct Products {
    forms: Vec<Form>,
    tensors: Option<[CubeTensor; 3]>,
    engine: &'static dyn Engine,
}

impl Trial for Products {
    fn time(&mut self, candidate: usize, calls: u32) -> Result<Duration, String> {
        let [lhs, rhs, out] = self.tensors.as_ref().ok_or("the tensors are gone")?;
        let (call, form) = (MatmulCall::new(lhs, rhs, &out.spec().shape), self.forms[candidate]);
        timed(self.engine, calls, || call.launch(form, EpilogueArgs::none(&[out])))
    }
}

/// Pools of a thread that measures are of no use to others.
impl Drop for Products {
    fn drop(&mut self) {
        self.tensors = None;
        self.engine.memory_cleanup();
    }
}
