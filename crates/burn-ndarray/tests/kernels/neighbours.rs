//! Each result element depends on its own operand elements alone, bit for bit. Kernels choose a faster
//! formula where all elements of a part are ordinary; an element next to a large one, or at another position,
//! still has the same bits.

use burn_backend::*;
use burn_ndarray::{NdArray, NdTensor};

type Leaf = NdArray<f32>;

const COUNT: usize = 9000;

fn tensor(values: &[f32]) -> NdTensor {
    Leaf::from_data(TensorData::new(values, [values.len()]), &Default::default())
}

fn bits(x: NdTensor) -> Vec<u32> {
    let data = block_on(Leaf::into_data(x)).expect("ready").expect("readable");
    data.to_vec::<f32>().expect("of f32").into_iter().map(f32::to_bits).collect()
}

/// Elements of several magnitudes.
fn plain() -> Vec<f32> {
    (0..COUNT).map(|k| 0.01 + 7.3 * ((k * 7919) % COUNT) as f32 / COUNT as f32).collect()
}

/// The same with elements between them that the fast formulas do not know.
fn disturbed() -> Vec<f32> {
    let strange = [1e30, -3.0, f32::NAN, 0.0, f32::INFINITY, -1e-42];
    let mut values = plain();
    for (k, value) in values.iter_mut().enumerate().step_by(611) {
        *value = strange[k % strange.len()];
    }
    values
}

/// Compares where the elements were the same.
#[track_caller]
fn same(what: &str, plain_bits: &[u32], disturbed_bits: &[u32]) {
    let (before, after) = (plain(), disturbed());
    let mut compared = 0;
    for k in (0..COUNT).filter(|&k| before[k] == after[k]) {
        assert_eq!(plain_bits[k], disturbed_bits[k], "{what} of {} at {k}", before[k]);
        compared += 1;
    }
    assert!(compared > COUNT * 9 / 10);
}

#[test]
fn a_function_does_not_depend_on_the_neighbours() {
    for &op in UnaryOp::ALL.iter().filter(|&&op| op != UnaryOp::Not) {
        let of = |values: Vec<f32>| bits(Leaf::unary(op, tensor(&values)));
        same(op.name(), &of(plain()), &of(disturbed()));
    }
}

#[test]
fn a_function_of_two_does_not_depend_on_the_neighbours() {
    for op in [BinaryOp::Pow, BinaryOp::Remainder, BinaryOp::Fmod, BinaryOp::Atan2, BinaryOp::Hypot] {
        for (left, right) in [(disturbed as fn() -> Vec<f32>, plain as fn() -> Vec<f32>), (plain, disturbed)]
        {
            let of = |left: Vec<f32>, right: Vec<f32>| {
                bits(Leaf::binary(op, tensor(&left), tensor(&right.into_iter().rev().collect::<Vec<_>>())))
            };
            let (calm, mixed) = (of(plain(), plain()), of(left(), right()));
            let backward: Vec<f32> = right().into_iter().rev().collect();
            let (before, reversed): (_, Vec<f32>) = (plain(), plain().into_iter().rev().collect());
            for k in (0..COUNT).filter(|&k| left()[k] == before[k] && backward[k] == reversed[k]) {
                assert_eq!(calm[k], mixed[k], "{} of {} and {} at {k}", op.name(), before[k], reversed[k]);
            }
        }
    }
}

/// A number that is repeated takes a shorter way than numbers that happen to be equal.
#[test]
fn a_power_does_not_depend_on_how_its_exponent_is_stored() {
    for exponent in [0.5, 3.0, 2.0, 1.7] {
        let repeated = bits(Leaf::binary(BinaryOp::Pow, tensor(&disturbed()), tensor(&[exponent])));
        let mut exponents = vec![exponent; COUNT];
        exponents[4000] = 1.25;
        let stored = bits(Leaf::binary(BinaryOp::Pow, tensor(&disturbed()), tensor(&exponents)));
        for k in (0..COUNT).filter(|&k| k != 4000) {
            let nan = f32::from_bits(repeated[k]).is_nan() && f32::from_bits(stored[k]).is_nan();
            assert!(nan || repeated[k] == stored[k], "{} to {exponent} at {k}", disturbed()[k]);
        }
    }
}
