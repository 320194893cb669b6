//! A tensor on two backends, and calls that run on both.

use burn_backend::*;
use burn_ndarray::{NdArray, NdTensor};
use minimal_backend::{Toy, ToyTensor};

pub type Leaf = NdArray<f32>;

/// The same tensor on both backends.
#[derive(Clone, Debug)]
pub struct Pair(pub NdTensor, pub ToyTensor);

impl HasSpec for Pair {
    fn spec(&self) -> &TensorSpec {
        self.0.spec()
    }
}

/// How the elements lie in memory.
#[derive(Clone, Copy, Debug)]
pub enum MemoryLayout {
    Plain,
    Transposed,
    Stepped,
    Flipped,
    Narrowed,
}

pub const LAYOUTS: [MemoryLayout; 5] = [
    MemoryLayout::Plain,
    MemoryLayout::Transposed,
    MemoryLayout::Stepped,
    MemoryLayout::Flipped,
    MemoryLayout::Narrowed,
];

pub fn run(op: Operation<Pair>) -> Outputs<Pair> {
    let found = Leaf::execute(op.map_ref(|x| x.0.clone()));
    let expected = Toy::execute(op.map(|x| x.1));
    match (found, expected) {
        (Outputs::One(x), Outputs::One(y)) => Outputs::One(Pair(x, y)),
        (Outputs::Two(x, z), Outputs::Two(y, w)) => Outputs::Two(Pair(x, y), Pair(z, w)),
        (Outputs::Three(x, y, z), Outputs::Three(u, v, w)) => {
            Outputs::Three(Pair(x, u), Pair(y, v), Pair(z, w))
        }
        (found, expected) => panic!("different results: {found:?} and {expected:?}"),
    }
}

/// The element types that both backends have: an `f64`, which is all that the minimal backend keeps, cannot
/// hold a `u64`. The conformance suite sweeps those.
pub fn shared_dtypes() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|&dtype| dtype != DType::U64)
}

fn tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-11,
        DType::F32 => 1e-5,
        DType::F16 => 2e-3,
        DType::BF16 => 2e-2,
        _ => 0.0,
    }
}

#[track_caller]
pub fn same(pair: &Pair, what: &str) {
    let Pair(found, expected) = pair.clone();
    assert_eq!(found.spec(), expected.spec(), "{what}");
    let tolerance = tolerance(found.dtype());
    let read = |data: Result<TensorData, DataError>| data.expect("readable").to_f64();
    let found = read(block_on(Leaf::into_data(found)).expect("ready"));
    let expected = read(block_on(Toy::into_data(expected)).expect("ready"));
    for (i, (&x, &y)) in found.iter().zip(&expected).enumerate() {
        let close = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * y.abs().max(1.0);
        assert!(close, "{what}: element {i} of {:?}: found {x}, expected {y}", pair.spec());
    }
}

/// Runs a call on both and compares the results, once with operands that others see and once without.
#[track_caller]
pub fn check(op: Operation<Pair>) {
    let name = format!("{op:?}").chars().take(90).collect::<String>();
    run(op.clone()).visit(|pair| same(pair, &name));
    let found = Leaf::execute(op.map_ref(|x| contiguous_copy(&x.0)));
    let expected = Toy::execute(op.map(|x| x.1));
    same(&Pair(found.first().clone(), expected.first().clone()), &name);
}

/// The same elements in memory of their own, so that a call may work in place.
fn contiguous_copy(x: &NdTensor) -> NdTensor {
    let data = block_on(Leaf::into_data(x.clone())).expect("ready").expect("readable");
    Leaf::from_data(data, &Default::default())
}

pub fn pair(data: TensorData) -> Pair {
    Pair(Leaf::from_data(data.clone(), &Default::default()), Toy::from_data(data, &Default::default()))
}

/// Values in `[low, high)` that look random, in this layout.
pub fn tensor(shape: &[usize], dtype: DType, range: (f64, f64), layout: MemoryLayout) -> Pair {
    let rank = shape.len();
    let make = |shape: &[usize]| {
        let count = shape.iter().product();
        let at = |i: usize| ((i + 1) as f64 * 0.618_033_988_749_895 + rank as f64 * 0.1).fract();
        let values: Vec<f64> = (0..count).map(|i| range.0 + (range.1 - range.0) * at(i)).collect();
        pair(TensorData::new(values, shape.iter().copied().collect::<Shape>()).convert_dtype(dtype))
    };
    match layout {
        MemoryLayout::Plain => make(shape),
        MemoryLayout::Transposed => {
            let turned: Vec<usize> = shape.iter().rev().copied().collect();
            run(Operation::Layout(Layout::Permute { x: make(&turned), axes: (0..rank).rev().collect() }))
                .one()
        }
        MemoryLayout::Stepped => {
            let wide: Vec<usize> = shape.iter().map(|size| size * 2 + 1).collect();
            let slices = shape.iter().map(|size| Slice { start: 1, end: size * 2 + 1, step: 2 }).collect();
            run(Operation::Layout(Layout::Slice { x: make(&wide), slices })).one()
        }
        MemoryLayout::Flipped => {
            run(Operation::Layout(Layout::Flip { x: make(shape), axes: (0..rank).collect() })).one()
        }
        MemoryLayout::Narrowed => {
            let mut wide = shape.to_vec();
            wide[0] += 2;
            let slices = Slices::from_iter([Slice::from(1..shape[0] + 1)]);
            run(Operation::Layout(Layout::Slice { x: make(&wide), slices })).one()
        }
    }
}

pub fn range_of(dtype: DType) -> (f64, f64) {
    match dtype {
        DType::Bool => (0.0, 2.0),
        dtype if dtype.is_float() => (-3.0, 3.0),
        dtype if dtype.is_signed() => (-9.0, 9.0),
        _ => (1.0, 12.0),
    }
}
