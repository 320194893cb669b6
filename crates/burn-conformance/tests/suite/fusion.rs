//! Calls that the fusion queue runs, recorded by a decorator that logs them: a decorator is one function.
use crate::composed::Composed;
use burn_backend::*;
use burn_capture::{Capture, Recording};
use burn_fusion::Fusion;
use burn_ndarray::{NdArray, NdArrayDevice, NdTensor};
use burn_router::Router;
use burn_tensor::Tensor;
use burn_tensor::activation::relu;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// Values in `[low, high)` that look random and are the same everywhere.
fn floats<B: Backend, const D: usize>(shape: [usize; D], low: f64, high: f64) -> Tensor<B, D> {
    let at = |i: usize| low + (high - low) * (i as f64 * 0.618_033_988_749_895 + 0.137).fract();
    let values: Vec<f64> = (0..shape.iter().product()).map(at).collect();
    Tensor::from_data(TensorData::new(&values, shape), &Default::default())
}

#[derive(Clone, Copy, Debug, Default)]
struct Log;

type Leaf = NdArray<f64>;

thread_local! {
    static CALLS: RefCell<Vec<String>> = RefCell::default();
    static ADDRESSES: RefCell<Vec<usize>> = RefCell::default();
    /// Whether [`Log`] has a kernel for products of one left operand.
    static HAS_PRODUCTS: Cell<bool> = Cell::default();
    /// Whether its products may compute rows themselves, and whether they do.
    static TAKES_ROWS: Cell<[bool; 2]> = Cell::default();
}

fn calls() -> Vec<String> {
    CALLS.take()
}

fn names(rows: &BlockRows<NdTensor>) -> String {
    rows.steps.iter().map(BlockStep::name).collect::<Vec<_>>().join("+")
}

impl Backend for Log {
    type Device = NdArrayDevice;
    type Tensor = NdTensor;
    type FloatElem = f64;
    type IntElem = i64;

    fn execute(op: Operation<NdTensor>) -> Outputs<NdTensor> {
        CALLS.with_borrow_mut(|calls| calls.push(op.name().into()));
        let results = Leaf::execute(op);
        ADDRESSES.with_borrow_mut(|addresses| addresses.push(results.first().address()));
        results
    }
    fn run_block(block: Block<NdTensor>) -> Vec<NdTensor> {
        let calls: Vec<_> = block.names().collect();
        let (inputs, outputs) = (block.inputs.len(), block.outputs.len());
        let mut text = calls.join("+");
        if let Some(BlockHead::RowProducts(head)) = &block.head {
            text = format!("{} for {text}", names(&head.rows));
        }
        CALLS.with_borrow_mut(|calls| calls.push(format!("{text} ({inputs} in, {outputs} out)")));
        Leaf::run_block(block)
    }
    fn create(creation: Creation, device: &NdArrayDevice) -> NdTensor {
        let x = Leaf::create(creation, device);
        ADDRESSES.with_borrow_mut(|addresses| addresses.push(x.address()));
        x
    }
    fn argwhere(mask: NdTensor, index: DType) -> impl Future<Output = Result<NdTensor, DataError>> + Send {
        Leaf::argwhere(mask, index)
    }
    fn into_data(x: NdTensor) -> impl Future<Output = Result<TensorData, DataError>> + Send {
        Leaf::into_data(x)
    }
    fn device(x: &NdTensor) -> NdArrayDevice {
        Leaf::device(x)
    }
    fn to_device(x: NdTensor, device: &NdArrayDevice) -> NdTensor {
        Leaf::to_device(x, device)
    }
    fn sync(device: &NdArrayDevice) {
        Leaf::sync(device);
    }
    fn seed(seed: u64) {
        Leaf::seed(seed);
    }
    fn object() -> &'static dyn burn_backend::dynamic::BackendObject {
        burn_backend::dynamic::object_of::<Self>()
    }
    fn launch_graphs(_device: &NdArrayDevice) -> Option<Box<dyn LaunchGraphs>> {
        None
    }
    fn tracks_gradients(_device: &NdArrayDevice) -> bool {
        false
    }
    fn set_require_grad(x: NdTensor, _require_grad: bool) -> NdTensor {
        x
    }
    fn is_require_grad(_x: &NdTensor) -> bool {
        false
    }
    fn detach(x: NdTensor) -> NdTensor {
        x
    }
    fn checkpoint(segment: burn_backend::Segment<NdTensor>, inputs: Vec<NdTensor>) -> Vec<NdTensor> {
        segment(inputs)
    }
    fn linear_map(
        map: burn_backend::LinearMapRef,
        x: NdTensor,
    ) -> Result<NdTensor, burn_backend::LinearMapError> {
        burn_backend::apply_linear_map::<Self>(&map, x)
    }
    fn name(device: &NdArrayDevice) -> String {
        Leaf::name(device)
    }
    fn has_dtype(device: &NdArrayDevice, dtype: DType) -> bool {
        Leaf::has_dtype(device, dtype)
    }
}

impl FusionBackend for Log {
    fn has_kernel(_composite: Composite) -> bool {
        false
    }
    fn takes_head(_kind: HeadKind) -> bool {
        true
    }
    fn has_products(_lhs: &TensorSpec) -> bool {
        HAS_PRODUCTS.get()
    }
    fn products(lhs: &NdTensor, rhs: &[NdTensor]) -> Option<Vec<NdTensor>> {
        CALLS.with_borrow_mut(|calls| calls.push(format!("{} products", rhs.len())));
        let product = |rhs: &NdTensor| Leaf::matmul(lhs.clone(), rhs.clone());
        HAS_PRODUCTS.get().then(|| rhs.iter().map(product).collect())
    }
    fn takes_rows(rows: &TensorSpec) -> bool {
        TAKES_ROWS.get()[0] && rows.shape[0] == 1
    }
    fn products_of_rows(rows: &BlockRows<NdTensor>, rhs: &[NdTensor]) -> Option<Vec<NdTensor>> {
        if !TAKES_ROWS.get()[1] {
            return None;
        }
        CALLS.with_borrow_mut(|calls| calls.push(format!("{} products of {}", rhs.len(), names(rows))));
        let lhs = Leaf::run_block(rows.clone().into()).remove(0);
        Some(rhs.iter().map(|rhs| Leaf::matmul(lhs.clone(), rhs.clone())).collect())
    }
    fn fusion_object() -> &'static dyn FusionObject {
        fusion_object_of::<Log>()
    }
}

type Fused = Fusion<Log>;

#[test]
fn gelu_is_one_pass() {
    let x = floats::<Fused, 2>([30, 70], -3.0, 3.0);
    let y = x.clone() * ((x / 2_f64.sqrt()).erf() + 1) / 2;
    assert!(calls().is_empty());
    y.into_data();
    assert_eq!(calls(), ["div+erf+add+mul+div (1 in, 1 out)"]);
}

#[test]
fn what_nobody_reads_is_not_computed() {
    let x = floats::<Fused, 1>([10], 0.0, 1.0);
    drop(x.clone().sin().matmul_with_itself());
    let y = x.cos();
    y.into_data();
    assert_eq!(calls(), ["cos"]);
}

#[test]
fn the_last_use_is_written_in_place() {
    let x = floats::<Fused, 1>([10], 0.0, 1.0);
    x.cos().into_data();
    let [created, result] = ADDRESSES.take()[..] else { panic!("one creation, one call") };
    assert_eq!(created, result);
    let x = floats::<Fused, 1>([10], 0.0, 1.0);
    x.clone().cos().into_data();
    drop(x);
    let [created, result] = ADDRESSES.take()[..] else { panic!("one creation, one call") };
    assert_ne!(created, result);
}

#[test]
fn a_kept_intermediate_is_a_second_output() {
    let x = floats::<Fused, 1>([10], 0.0, 1.0);
    let y = x.sin();
    let z = y.clone().exp() * 2;
    z.into_data();
    assert_eq!(calls(), ["sin+exp+mul (1 in, 2 out)"]);
    y.into_data();
    assert!(calls().is_empty());
}

#[test]
fn a_composite_without_kernel_is_taken_apart() {
    burn_tensor::activation::softmax(floats::<Fused, 2>([2, 3], 0.0, 1.0), 1).into_data();
    assert_eq!(calls(), ["max+sub+exp+sum+div (1 in, 1 out)"]);
}

#[test]
fn a_product_takes_what_follows_it() {
    let (x, w, bias) =
        (floats::<Fused, 2>([6, 3], 0.0, 1.0), floats([3, 5], 0.0, 1.0), floats([1, 5], 0.0, 1.0));
    let y = (x.matmul(w) + bias).exp().sum_dim(1);
    assert!(calls().is_empty());
    y.into_data();
    assert_eq!(calls(), ["matmul+add+exp+sum (1 in, 1 out)"]);
}

#[test]
fn a_convolution_takes_what_follows_it() {
    let (x, w) = (floats::<Fused, 4>([1, 2, 5, 5], -1.0, 1.0), floats([3, 2, 3, 3], -1.0, 1.0));
    let residual = floats([1, 3, 3, 3], -1.0, 1.0);
    let y = relu(x.conv(w, None, ConvOptions::new(2)) + residual);
    assert!(calls().is_empty());
    y.into_data();
    assert_eq!(calls(), ["conv+add+relu (1 in, 1 out)"]);
}

#[test]
fn a_product_that_is_kept_is_a_second_output() {
    let x = floats::<Fused, 2>([4, 4], 0.0, 1.0);
    let product = x.clone().matmul(x.clone());
    let y = product.clone() * 2 + x;
    let y = y.into_data().to_vec::<f64>().expect("floats");
    assert_eq!(calls(), ["matmul+mul+add (1 in, 2 out)"]);
    let product = product.into_data().to_vec::<f64>().expect("floats");
    assert!(calls().is_empty());
    let x = floats::<Fused, 2>([4, 4], 0.0, 1.0).into_data().to_vec::<f64>().expect("floats");
    for i in 0..16 {
        let sum: f64 = (0..4).map(|k| x[i / 4 * 4 + k] * x[k * 4 + i % 4]).sum();
        assert!((product[i] - sum).abs() < 1e-14, "{} should be {sum}", product[i]);
        assert_eq!(y[i], product[i] * 2.0 + x[i]);
    }
}

#[test]
fn products_alone_and_products_for_products_are_calls() {
    let x = floats::<Fused, 2>([4, 4], 0.0, 1.0);
    x.clone().matmul(x.clone()).matmul(x).into_data();
    assert_eq!(calls(), ["matmul", "matmul"]);
}

/// The calls of two products of one left operand on `B`, and the products.
fn two_products<B: FusionBackend>() -> (Vec<String>, [TensorData; 2]) {
    let x = floats::<Fusion<B>, 2>([1, 4], -1.0, 1.0);
    let products = [3, 5].map(|columns| x.clone().matmul(floats([4, columns], -1.0, 1.0)));
    let products = products.map(Tensor::into_data);
    (calls(), products)
}

#[test]
fn products_of_one_left_operand_are_one_call_where_the_backend_has_it() {
    let (calls, products) = two_products::<Log>();
    assert_eq!(calls, ["matmul", "matmul"], "the backend is asked first");
    HAS_PRODUCTS.set(true);
    for (name, found) in [
        ("leaf", two_products::<Log>()),
        ("capture", two_products::<Capture<Log>>()),
        ("router", two_products::<Router<(Log, Log)>>()),
    ] {
        assert_eq!(found, (vec![String::from("2 products")], products.clone()), "{name}");
    }
    // A decorator of one function sees each of them.
    assert_eq!(two_products::<Composed<Log>>(), (calls, products));
}

#[test]
fn a_block_may_begin_with_two_products_of_one_left_operand() {
    let gated = || {
        let x = floats::<Fused, 2>([1, 4], -1.0, 1.0);
        let [gate, up] = [0.3, 0.7].map(|high| x.clone().matmul(floats([4, 6], -1.0, high)));
        let gate = gate.clone() / ((-gate).exp() + 1);
        (gate * up).into_data()
    };
    let alone = gated();
    assert_eq!(calls(), ["matmul", "matmul+neg+exp+add+div+mul (1 in, 1 out)"]);
    HAS_PRODUCTS.set(true);
    assert_eq!(gated(), alone);
    assert_eq!(calls(), ["matmul+matmul+neg+exp+add+div+mul (0 in, 1 out)"]);
}

/// One row by the root mean square of its elements.
fn normalized(x: Tensor<Fused, 2>) -> Tensor<Fused, 2> {
    x.clone() / x.square().mean_dim(1).sqrt()
}

/// A row as it is normalized, in one pass.
const NORM: &str = "square+mean+sqrt+div";

#[test]
fn rows_are_computed_by_the_products_that_alone_read_them() {
    let run = |columns: &[usize]| {
        let rows = normalized(floats([1, 4], -1.0, 1.0));
        let products: Vec<_> =
            columns.iter().map(|&columns| rows.clone().matmul(floats([4, columns], -1.0, 1.0))).collect();
        drop(rows);
        let products: Vec<_> = products.into_iter().map(Tensor::into_data).collect();
        (calls(), products)
    };
    let (alone, one) = run(&[3]);
    assert_eq!(alone, [&format!("{NORM} (1 in, 1 out)"), "matmul"]);
    let (_, three) = run(&[3, 5, 2]);
    TAKES_ROWS.set([true, false]);
    assert_eq!(run(&[3]), (alone, one.clone()), "a backend may decline");
    TAKES_ROWS.set([true; 2]);
    assert_eq!(run(&[3]), (vec![format!("1 products of {NORM}")], one));
    HAS_PRODUCTS.set(true);
    assert_eq!(run(&[3, 5, 2]), (vec![format!("3 products of {NORM}")], three));
}

#[test]
fn a_block_may_begin_with_products_of_rows() {
    let gated = || {
        let rows = normalized(floats([1, 4], -1.0, 1.0));
        let [gate, up] = [0.3, 0.7].map(|high| rows.clone().matmul(floats([4, 6], -1.0, high)));
        drop(rows);
        (gate.tanh() * up).into_data()
    };
    HAS_PRODUCTS.set(true);
    let apart = gated();
    assert_eq!(calls(), [&format!("{NORM} (1 in, 1 out)"), "matmul+matmul+tanh+mul (0 in, 1 out)"]);
    TAKES_ROWS.set([true; 2]);
    assert_eq!(gated(), apart);
    assert_eq!(calls(), [format!("{NORM} for matmul+matmul+tanh+mul (0 in, 1 out)")]);
}

#[test]
fn rows_that_others_read_are_computed_once() {
    TAKES_ROWS.set([true; 2]);
    let rows = normalized(floats([1, 4], -1.0, 1.0));
    let product = rows.clone().matmul(floats([4, 3], -1.0, 1.0));
    product.into_data();
    assert_eq!(calls(), [&format!("{NORM} (1 in, 1 out)"), "matmul"]);
    rows.clone().into_data();
    (rows + 1).into_data();
    assert_eq!(calls(), ["add"]);
}

#[test]
fn rows_wait_for_the_first_that_reads_them() {
    TAKES_ROWS.set([true; 2]);
    let rows = normalized(floats([1, 4], -1.0, 1.0));
    let before = rows.clone().flip([1]);
    assert!(calls().is_empty());
    let [row, flipped] = [rows, before].map(|x| x.into_data().to_vec::<f64>().expect("floats"));
    assert_eq!(calls(), [&format!("{NORM} (1 in, 1 out)"), "flip"]);
    assert!((row.iter().map(|x| x * x).sum::<f64>() - 4.0).abs() < 1e-12, "{row:?}");
    assert!(row.iter().rev().eq(&flipped));
}

#[test]
fn a_product_with_a_residual_leaves_the_norm_to_the_next_product() {
    let layer = || {
        let (x, w) = (floats::<Fused, 2>([1, 4], -1.0, 1.0), floats([4, 4], -1.0, 1.0));
        let hidden = x.clone().matmul(w.clone()) + x;
        let next = normalized(hidden.clone()).matmul(w);
        (next + hidden).into_data()
    };
    let apart = layer();
    assert_eq!(calls(), [&format!("matmul+add+{NORM} (1 in, 2 out)"), "matmul+add (1 in, 1 out)"]);
    TAKES_ROWS.set([true; 2]);
    assert_eq!(layer(), apart);
    assert_eq!(calls(), ["matmul+add (1 in, 1 out)", &format!("{NORM} for matmul+add (1 in, 1 out)")]);
}

#[test]
fn a_recording_holds_products_of_one_left_operand_one_by_one() {
    HAS_PRODUCTS.set(true);
    let recording = Recording::<Log>::start();
    let (calls, _) = two_products::<Capture<Log>>();
    drop(recording);
    assert_eq!(calls, ["matmul", "matmul"]);
}

#[test]
fn a_product_leaves_a_block_that_goes_on() {
    let x = floats::<Fused, 2>([4, 4], 0.0, 1.0);
    let y = x.clone().exp();
    let product = x.clone().matmul(x.clone());
    // The next operation does not use the product, so the product runs first.
    let y = y * 2 + x;
    (product + y).into_data();
    assert_eq!(calls(), ["matmul", "exp+mul+add+add (2 in, 1 out)"]);
}

#[test]
fn each_layer_is_a_block() {
    let (x, w) = (floats::<Fused, 2>([4, 4], 0.0, 1.0), floats([4, 4], 0.0, 1.0));
    let layer = |x: Tensor<Fused, 2>| (x.matmul(w.clone()) + w.clone()).exp();
    layer(layer(x.clone())).into_data();
    assert_eq!(calls(), ["matmul+add+exp (1 in, 1 out)"; 2]);
    // Two that need nothing of each other.
    let (y, z) = (layer(x.clone()), layer(x));
    y.into_data();
    z.into_data();
    assert_eq!(calls(), ["matmul+add+exp (1 in, 1 out)"; 2]);
}

trait MatmulWithItself {
    fn matmul_with_itself(self) -> Self;
}

impl MatmulWithItself for Tensor<Fused, 1> {
    fn matmul_with_itself(self) -> Self {
        let row = self.clone().reshape([1, 10]);
        row.clone().permute([1, 0]).matmul(row).sum()
    }
}

/// Two layers, forward and backward by hand, and a step of an optimizer with a moment for each parameter.
fn train(steps: usize) {
    let x = floats::<Fused, 2>([8, 6], 0.0, 1.0);
    let mut layers = [floats::<Fused, 2>([6, 6], -1.0, 1.0), floats([6, 6], -0.5, 0.5)];
    let mut moments = layers.clone().map(|layer| layer.zeros_like());
    for _ in 0..steps {
        let [first, second] = layers.clone();
        let hidden = x.clone().matmul(first).tanh();
        let y = hidden.clone().matmul(second.clone());
        let error = (y - x.clone()) / 48;
        let above = error.clone().matmul(second.transpose()) * (1 - hidden.clone().square());
        let grads = [x.clone().transpose().matmul(above), hidden.transpose().matmul(error)];
        for ((layer, moment), grad) in layers.iter_mut().zip(&mut moments).zip(grads) {
            *moment = moment.clone() * 0.9 + grad.clone() * 0.1;
            *layer = layer.clone() - moment.clone() / (moment.clone().abs() + 1e-3) * 0.01;
        }
    }
    layers.into_iter().for_each(|layer| drop(layer.into_data()));
}

#[test]
fn a_loop_has_the_same_blocks_wherever_the_queue_is_full() {
    let kinds = |steps| {
        train(steps);
        calls().into_iter().collect::<BTreeSet<_>>()
    };
    // Long enough to fill the queue at each of its calls.
    let (few, many) = (kinds(4), kinds(200));
    assert_eq!(many, few, "only in the long loop: {:?}", many.difference(&few).collect::<Vec<_>>());
}
