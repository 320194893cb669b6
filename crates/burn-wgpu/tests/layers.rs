//! A product and the steps after it as one kernel: the same bits as call by call, whichever kernel computes
//! the product.

mod device;
mod product_block;

use burn_autodiff::Autodiff;
use burn_backend::TypedCalls;
use burn_backend::{
    Backend, BinaryOp, Block, BlockStep, CompareOp, DType, Dims, Elementwise, HasSpec, Linalg, Operation,
    Shape, TensorData, UnaryOp, block_on, kernels, output_specs, reference,
};
use burn_cubecl::{Form, block_by};
use burn_fusion::Fusion;
use burn_ndarray::NdArray;
use burn_profile::Profile;
use burn_tensor::{Tensor, Tolerance, activation};
use burn_wgpu::{CubeTensor, Wgpu, WgpuDevice};
use product_block::{Writing, random};
use std::sync::Mutex;

type Leaf = Wgpu<f32, i32>;

/// Tests that launch kernels, one at a time: some of them count.
static ALONE: Mutex<()> = Mutex::new(());

/// The same elements, lying as columns.
fn turned(x: CubeTensor) -> CubeTensor {
    let rank = x.shape().rank();
    let axes: Dims = (0..rank - 2).chain([rank - 1, rank - 2]).collect();
    let rows = Leaf::permute(x, axes.clone());
    // Another operand makes it contiguous.
    Leaf::permute(Leaf::cat(vec![rows], 0), axes)
}

fn data(x: CubeTensor) -> TensorData {
    block_on(Leaf::into_data(x)).unwrap().unwrap()
}

/// Kernels that were launched so far.
fn launches() -> usize {
    Leaf::from_data(TensorData::new([0.0_f32], [1]), &WgpuDevice::default()).engine().launches()
}

fn is_software() -> bool {
    Leaf::from_data(TensorData::new([0.0_f32], [1]), &WgpuDevice::default()).engine().is_software()
}

/// Steps of all kinds on a product, with inputs of all layouts, and several outputs, the product among them.
/// No sum takes a product of steps, which compilers may make one fused multiplication of.
fn mixed(lhs: CubeTensor, rhs: CubeTensor) -> Block<CubeTensor> {
    let dtype = lhs.dtype();
    let shape =
        output_specs(&Operation::Linalg(Linalg::Matmul { lhs: &lhs, rhs: &rhs })).unwrap().one().shape;
    let rank = shape.rank();
    let with = |sizes: [usize; 2]| -> Shape {
        let outer = shape[..rank - 2].iter().map(|_| 1);
        outer.chain(sizes).collect()
    };
    let [rows, cols] = [shape[rank - 2], shape[rank - 1]];
    let each: Shape = shape[..rank - 2].iter().copied().chain([1, 1]).collect();
    let inputs = vec![
        random(with([1, cols]), dtype),
        random(with([rows, 1]), dtype),
        random(with([1, 1]), dtype),
        random(each, dtype),
        turned(random(shape.clone(), dtype)),
        Leaf::flip(random(shape.clone(), dtype), [rank - 1].into_iter().collect()),
        Leaf::cast(random(with([rows, cols]), DType::I32), DType::Bool),
    ];
    let mut block = Writing::new(lhs, rhs, inputs);
    let product = block.product();
    let biased = block.binary(BinaryOp::Add, product, 0, dtype);
    let scaled = block.binary(BinaryOp::Mul, biased, 1, dtype);
    let least = block.binary(BinaryOp::Min, scaled, 2, dtype);
    let largest = block.binary(BinaryOp::Max, least, 3, dtype);
    // Broadcast of a row and a column, then a step that needs no broadcast.
    let both = block.binary(BinaryOp::Add, 0, 1, dtype);
    let square = block.step(BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Square, x: 0 }), dtype);
    let mixed = block.binary(BinaryOp::Mul, both, square, dtype);
    let all = block.binary(BinaryOp::Mul, largest, mixed, dtype);
    let less = block.step(
        BlockStep::Elementwise(Elementwise::Compare { op: CompareOp::Less, lhs: all, rhs: 4 }),
        DType::Bool,
    );
    let either = block.binary(BinaryOp::Xor, less, 6, DType::Bool);
    let chosen =
        block.step(BlockStep::Elementwise(Elementwise::MaskWhere { mask: either, on: all, off: 5 }), dtype);
    let relu = block.step(BlockStep::Elementwise(Elementwise::Unary { op: UnaryOp::Relu, x: chosen }), dtype);
    let halved = block.step(
        BlockStep::Elementwise(Elementwise::BinaryScalar { op: BinaryOp::Div, lhs: relu, rhs: 3.0.into() }),
        dtype,
    );
    let other = if dtype.is_float() { DType::I32 } else { DType::F32 };
    let cast = block.step(BlockStep::Elementwise(Elementwise::Cast { x: halved, dtype: other }), other);
    block.0.outputs = vec![product, biased, either, halved, cast];
    block.0
}

/// Returns the left factor of the product that a block begins with.
fn lhs(block: &Block<CubeTensor>) -> &CubeTensor {
    block.head.as_ref().unwrap().operands().next().unwrap()
}

/// The forms that are for products of this shape, on this device.
fn forms(block: &Block<CubeTensor>) -> Vec<Form> {
    let head = lhs(block);
    let rank = block.shape.rank();
    let shared = head.engine().hardware().max_shared_memory_size;
    let [rows, cols] = [block.shape[rank - 2], block.shape[rank - 1]];
    let bytes = head.dtype().size().max(4);
    Form::all().iter().copied().filter(|form| form.fits(rows, cols, bytes, shared)).collect()
}

/// The index and the two values of the first element that differs in a bit.
fn first_difference(found: &TensorData, expected: &TensorData) -> Option<(usize, [f64; 2])> {
    let width = found.dtype.size();
    let mut elements = found.as_bytes().chunks(width).zip(expected.as_bytes().chunks(width));
    let index = elements.position(|(found, expected)| found != expected)?;
    Some((index, [found, expected].map(|data| data.to_f64()[index])))
}

/// Compares each kernel with the calls, one by one. How many kernels there were.
fn check_same(block: &Block<CubeTensor>) -> usize {
    let calls = Block { head: block.head.clone(), ..block.clone() };
    let expected: Vec<_> = reference::run_block::<Leaf>(calls).into_iter().map(data).collect();
    let forms = forms(block);
    for &form in &forms {
        let found = block_by(form, block).expect("it is short");
        let lhs = lhs(block);
        assert_eq!(found.len(), expected.len());
        for (at, (found, expected)) in found.into_iter().zip(&expected).enumerate() {
            let found = data(found);
            assert_eq!(found.dtype, expected.dtype);
            let title =
                format!("output {at} of {form}, {:?} to {:?}, {}", lhs.shape(), block.shape, lhs.dtype());
            if let Some((index, [found, expected])) = first_difference(&found, expected) {
                panic!("{title}: element {index} is {found:?}, {expected:?} by single calls");
            }
        }
    }
    forms.len()
}

#[test]
fn every_kernel_has_the_bits_of_single_calls() {
    device::require();
    let _alone = ALONE.lock();
    let sizes: [[usize; 3]; 6] =
        [[1, 1, 5], [1, 100, 33], [130, 1, 65], [17, 40, 16], [65, 63, 17], [129, 150, 31]];
    let engine = random([1, 1], DType::F32).engine();
    for dtype in [DType::F32, DType::F16, DType::I32].into_iter().filter(|&dtype| engine.has(dtype)) {
        let mut compared = 0;
        for [rows, cols, depth] in sizes {
            let (lhs, rhs) = (random([rows, depth], dtype), random([depth, cols], dtype));
            compared += check_same(&mixed(lhs.clone(), turned(rhs)));
        }
        // Batches, and such that meet one matrix or a batch of another dimension.
        let batches: [(&[usize], &[usize]); 3] = [
            (&[3, 40, 20], &[1, 20, 50]),
            (&[2, 1, 1, 90], &[1, 3, 90, 70]),
            (&[2, 1, 70, 9], &[1, 3, 9, 1]),
        ];
        for (lhs, rhs) in batches {
            let (lhs, rhs) =
                (random(Shape::from(lhs.to_vec()), dtype), random(Shape::from(rhs.to_vec()), dtype));
            compared += check_same(&mixed(turned(lhs), rhs));
        }
        println!("{compared} kernels for {dtype} compared");
        assert!(compared > 30, "{compared}");
    }
}

fn values<B: Backend, const D: usize>(shape: [usize; D]) -> Tensor<B, D> {
    let at = |i: usize| (i as f32 * 0.618_034 + 0.137).fract() * 2.0 - 1.0;
    let values: Vec<f32> = (0..shape.iter().product()).map(at).collect();
    Tensor::from_data(TensorData::new(&values, shape), &Default::default())
}

/// Runs `program` fused, by single calls and on the CPU: so many launches, the same bits as single calls
/// where the compiler is known to make no fused multiplications of its own, and the values of the CPU.
macro_rules! check_launches {
    ($launches:expr, $tolerance:expr, |$B:ident| $program:expr) => {
        device::require();
        let _alone = ALONE.lock();
        let fused: Vec<TensorData> = {
            type $B = Fusion<Wgpu>;
            let before = launches();
            let results = $program;
            let fused = results.into_iter().collect();
            assert_eq!(launches() - before, $launches);
            fused
        };
        let alone: Vec<TensorData> = {
            type $B = Wgpu;
            $program.into_iter().collect()
        };
        let expected: Vec<TensorData> = {
            type $B = NdArray;
            $program.into_iter().collect()
        };
        for ((fused, alone), expected) in fused.iter().zip(&alone).zip(&expected) {
            assert!(!is_software() || fused.as_bytes() == alone.as_bytes());
            expected.assert_approx_eq::<f64>(fused, Tolerance::rel_abs($tolerance, $tolerance));
        }
    };
}

#[test]
fn a_layer_is_one_kernel() {
    check_launches!(1, 1e-5, |B| {
        let (x, weight) = (values::<B, 2>([70, 33]), values::<B, 2>([33, 90]));
        [activation::gelu(x.matmul(weight) + values::<B, 2>([1, 90])).into_data()]
    });
}

#[test]
fn a_layer_of_a_batch_with_turned_weights_is_one_kernel() {
    check_launches!(1, 1e-4, |B| {
        let (x, weight) = (values::<B, 3>([3, 40, 20]), values::<B, 3>([1, 50, 20]).transpose());
        let y = x.matmul(weight) + values::<B, 3>([1, 1, 50]);
        [(y.clone() * ((y / 2_f64.sqrt()).erf() + 1) / 2).into_data()]
    });
}

#[test]
fn values_that_are_kept_are_results_of_the_kernel() {
    check_launches!(1, 1e-5, |B| {
        let (x, weight) = (values::<B, 2>([33, 20]), values::<B, 2>([20, 33]));
        let product = x.matmul(weight);
        let sum = product.clone() + values::<B, 2>([33, 1]);
        let positive = sum.clone().greater_elem(0.25);
        let whole = (sum * 100.0).int();
        // The first read computes all of them.
        [whole.into_data(), positive.into_data(), product.into_data()]
    });
}

#[test]
fn each_of_two_layers_is_a_kernel() {
    check_launches!(2, 1e-4, |B| {
        let layer = |x: Tensor<B, 2>| {
            let [_, width] = x.dims();
            (x.matmul(values::<B, 2>([width, width])) + values::<B, 2>([1, width])).tanh()
        };
        [layer(layer(values::<B, 2>([40, 24]))).into_data()]
    });
}

#[test]
fn what_does_not_fit_behind_a_product_is_another_kernel() {
    device::require();
    let _alone = ALONE.lock();
    fn heard(program: impl FnOnce(Tensor<Fusion<Wgpu>, 2>) -> Tensor<Fusion<Wgpu>, 2>) -> Vec<String> {
        let (x, weight) = (values::<Fusion<Wgpu>, 2>([150, 40]), values::<Fusion<Wgpu>, 2>([40, 150]));
        let y = program(x.matmul(weight));
        let listening = kernels::listen();
        y.into_data();
        listening.heard()
    }
    let all = heard(|x| activation::gelu(x + values([1, 150])));
    assert!(all.len() == 1 && all[0].contains(" + add + gelu (by the model)"), "{all:?}");
    let folds = heard(|x| x.exp().sum_dim(1));
    assert!(folds.len() == 2 && folds[0].ends_with(" (alone: rows are folded behind it)"), "{folds:?}");
    let long = heard(|x| (0..40).fold(x, |x, _| x.sin()));
    let why = " (alone: there are more steps behind it than a kernel has for each element)";
    assert!(long.len() == 2 && long[0].ends_with(why), "{long:?}");
}

#[test]
fn the_profile_of_a_block_shows_its_kernel() {
    device::require();
    let _alone = ALONE.lock();
    type B = Fusion<Profile<Leaf>>;
    let product = values::<B, 2>([40, 30]).matmul(values::<B, 2>([30, 50]));
    (product + values::<B, 2>([1, 50])).tanh().into_data();
    let report = Profile::<Leaf>::report();
    let rows = report.by_name();
    let row = rows.iter().find(|row| row.name == "block matmul+add+tanh").unwrap();
    let kernels: Vec<_> = row.kernels.keys().collect();
    assert!(kernels.len() == 1 && kernels[0].ends_with(" + add + tanh (by the model)"), "{kernels:?}");
}

#[test]
fn gradients_through_a_layer_are_those_of_the_cpu() {
    device::require();
    let _alone = ALONE.lock();
    fn gradients<B: Backend>() -> Vec<TensorData> {
        let x = values::<Autodiff<B>, 2>([20, 12]).require_grad();
        let weight = values::<Autodiff<B>, 2>([12, 40]).require_grad();
        let bias = values::<Autodiff<B>, 2>([1, 40]).require_grad();
        let y = activation::gelu(x.clone().matmul(weight.clone()) + bias.clone());
        let grads = (y * values([20, 40])).sum().backward();
        [x, weight, bias].map(|x| x.grad(&grads).expect("is tracked").into_data()).into()
    }
    let expected = gradients::<NdArray>();
    for found in [gradients::<Wgpu>(), gradients::<Fusion<Wgpu>>()] {
        found.iter().zip(&expected).for_each(|(found, expected)| {
            found.assert_approx_eq::<f64>(expected, Tolerance::rel_abs(1e-5, 1e-5))
        });
    }
}
