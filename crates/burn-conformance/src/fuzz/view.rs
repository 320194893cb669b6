use super::Random;
use super::call::values;
use crate::Family;
use crate::case::{read, same_bits};
use crate::operations::checks;
use crate::subject::message;
use burn_backend::TypedCalls;
use burn_backend::dynamic::{Dynamic, DynamicDevice, DynamicTensor};
use burn_backend::{
    Backend, BinaryOp, DType, Dims, HasSpec, Operation, Shape, Slice, Slices, TensorData, TensorSpec,
    output_specs,
};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a tensor lies in memory: its dimensions in any order, some of them flipped, stepped over, cut out of
/// longer ones, or one entry that is repeated.
#[derive(Clone, Debug)]
pub struct View {
    /// Dimensions from the slowest to the fastest.
    axes: Dims,
    dims: Vec<Along>,
}

/// One dimension.
#[derive(Clone, Copy, Debug)]
struct Along {
    size: usize,
    is_repeated: bool,
    is_flipped: bool,
    step: usize,
    /// Entries before the first and after the last one.
    around: [usize; 2],
}

impl Along {
    /// Entries in memory.
    fn stored(&self) -> usize {
        if self.is_repeated { 1 } else { self.around[0] + (self.size - 1) * self.step + 1 + self.around[1] }
    }

    /// Where an entry is in memory.
    fn place(&self, index: usize) -> usize {
        let index = if self.is_flipped { self.size - 1 - index } else { index };
        if self.is_repeated { 0 } else { self.around[0] + index * self.step }
    }
}

impl View {
    /// A view with elements of this shape; those of empty shapes are in order.
    pub fn random(random: &mut Random, shape: &Shape) -> Self {
        let mut axes: Dims = (0..shape.rank()).collect();
        let is_empty = shape.num_elements() == 0;
        if random.chance(60) {
            for place in (1..axes.len()).rev() {
                axes.swap(place, random.below(place + 1));
            }
        }
        let mut along = |size: usize| {
            let mut chance = |percent: usize| !is_empty && random.chance(percent);
            let (is_repeated, is_flipped) = (chance(12), chance(25));
            let (is_stepped, is_cut) = (chance(20), chance(20));
            let step = if is_stepped { 2 + random.below(2) } else { 1 };
            let around = if is_cut { [random.below(3), random.below(3)] } else { [0, 0] };
            Along { size, is_repeated, is_flipped, step, around }
        };
        View { axes, dims: shape.iter().map(|&size| along(size)).collect() }
    }

    /// The elements with those of repeated dimensions the same.
    pub fn repeat(&self, data: &TensorData) -> TensorData {
        let strides = data.shape.strides();
        self.gather(data, &data.shape.clone(), |index| {
            let kept =
                |(d, &index): (usize, &usize)| if self.dims[d].is_repeated { 0 } else { index * strides[d] };
            Some(index.iter().enumerate().map(kept).sum())
        })
    }

    /// A tensor of this shape, whose element at an index is that of `data` at the position that `find`
    /// returns; where it returns none, all bits are those of the first element.
    fn gather(
        &self,
        data: &TensorData,
        shape: &Shape,
        find: impl Fn(&[usize]) -> Option<usize>,
    ) -> TensorData {
        let (width, strides, bytes) = (data.dtype.size(), shape.strides(), data.as_bytes());
        let mut found = Vec::with_capacity(shape.num_elements() * width);
        for at in 0..shape.num_elements() {
            let index: Dims = (0..shape.rank()).map(|d| at / strides[d] % shape[d]).collect();
            let from = find(&index).unwrap_or(0) * width;
            found.extend_from_slice(&bytes[from..from + width]);
        }
        TensorData::from_bytes(&found, shape.clone(), data.dtype).expect("as many elements")
    }

    /// The elements of `data`, which are what [`View::repeat`] makes, laid out on a device.
    pub fn upload(&self, data: &TensorData, device: &DynamicDevice) -> DynamicTensor {
        if data.shape.num_elements() == 0 {
            return Dynamic::from_data(data.clone(), device);
        }
        let strides = data.shape.strides();
        // By entry of a dimension in memory, what the element there adds to the position in `data`, if it is
        // one of the view.
        let held = |&d: &usize| {
            let mut held = vec![None; self.dims[d].stored()];
            (0..self.dims[d].size)
                .rev()
                .for_each(|index| held[self.dims[d].place(index)] = Some(index * strides[d]));
            held
        };
        let held: Vec<Vec<Option<usize>>> = self.axes.iter().map(held).collect();
        let stored: Shape = held.iter().map(Vec::len).collect();
        let memory = self.gather(data, &stored, |entries| {
            entries.iter().zip(&held).map(|(&entry, held)| held[entry]).sum()
        });
        let back: Dims = (0..self.dims.len())
            .map(|d| self.axes.iter().position(|&axis| axis == d).expect("every axis is there"))
            .collect();
        let mut x = Dynamic::permute(Dynamic::from_data(memory, device), back);
        let slice = |along: &Along| match along.is_repeated {
            true => Slice { start: 0, end: 1, step: 1 },
            false => {
                Slice { start: along.around[0], end: along.stored() - along.around[1], step: along.step }
            }
        };
        x = Dynamic::slice(x, self.dims.iter().map(slice).collect::<Slices>());
        let flipped = |&d: &usize| self.dims[d].is_flipped && !self.dims[d].is_repeated;
        x = Dynamic::flip(x, (0..self.dims.len()).filter(flipped).collect());
        Dynamic::expand(x, data.shape.clone())
    }
}

/// Sizes on both sides of what kernels fold together.
const SIZES: [usize; 19] = [1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 64, 65, 100, 130, 300, 600];
/// Elements of an operand.
const MOST_ELEMENTS: usize = 12_000;

/// Runs a random operation that folds, orders or normalises on a view and on its contiguous copy, on each of
/// the devices: all results have the same bits.
///
/// # Errors
/// Describes the first difference, with the operation and the view.
pub fn check_view(random: &mut Random, devices: &[DynamicDevice]) -> Result<(), String> {
    let shape = loop {
        let rank = 1 + random.below(4);
        let shape: Shape = (0..rank).map(|_| random.pick(&SIZES)).collect();
        if shape.num_elements() <= MOST_ELEMENTS {
            break shape;
        }
    };
    let dtype =
        random.pick(&[DType::F32, DType::F32, DType::F32, DType::F64, DType::F16, DType::I32, DType::U8]);
    let spec = TensorSpec { shape, dtype };
    let view = View::random(random, &spec.shape);
    let data = view.repeat(&if random.chance(70) { inexact(&spec, random) } else { values(&spec, None) });
    let op = folding(random, &spec);
    let run = |device: &DynamicDevice, viewed: bool| {
        let upload = |_: &TensorSpec| match viewed {
            true => view.upload(&data, device),
            false => Dynamic::from_data(data.clone(), device),
        };
        let mut results = Vec::new();
        // Further calls, so that a decorator that waits has something to put together.
        Dynamic::execute(op.map_ref(upload)).map(|result| results.push(result));
        let x = upload(&spec);
        if let [y] = &results[..]
            && y.spec().dtype == dtype
            && broadcasts(&y.spec().shape, &spec.shape)
        {
            results.push(Dynamic::binary(BinaryOp::Mul, x, y.clone()));
        }
        results.into_iter().map(read).collect::<Vec<_>>()
    };
    let all = || {
        let expected = run(&devices[0], false);
        for device in devices {
            for viewed in [true, false] {
                let found = run(device, viewed);
                let same = found.len() == expected.len()
                    && found.iter().zip(&expected).all(|(found, expected)| same_bits(found, expected));
                if !same {
                    let what = if viewed { "the view" } else { "the copy" };
                    return Err(format!(
                        "{what} on {device:?} gives other bits than a copy on {:?}",
                        devices[0]
                    ));
                }
            }
        }
        Ok(())
    };
    let outcome = catch_unwind(AssertUnwindSafe(all)).unwrap_or_else(|panic| Err(message(&*panic)));
    outcome.map_err(|error| format!("{error}\n    {op:?}\n    {view:?}"))
}

fn broadcasts(own: &Shape, shape: &Shape) -> bool {
    own.rank() == shape.rank() && own.iter().zip(shape.iter()).all(|(&own, &size)| own == size || own == 1)
}

/// Elements whose sums are rounded.
fn inexact(spec: &TensorSpec, random: &mut Random) -> TensorData {
    let shift = random.below(1000);
    let value = |i: usize| ((i + shift) as f64 * 0.618_033_988_749_895).fract() * 4.0 - 1.5;
    let values: Vec<f64> = (0..spec.shape.num_elements()).map(value).collect();
    TensorData::new(values, spec.shape.clone()).convert_dtype(spec.dtype)
}

/// Draws a call that folds, orders or normalizes one operand.
fn folding(random: &mut Random, spec: &TensorSpec) -> Operation<TensorSpec> {
    let calls = Family::ALL.into_iter().filter_map(checks).flat_map(|checks| checks.folding(random, spec));
    let mut calls: Vec<_> = calls.filter(|call| output_specs(call).is_ok()).collect();
    calls.swap_remove(random.below(calls.len()))
}
