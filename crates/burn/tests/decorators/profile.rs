//! Measurements of `Profile`. The ledger is one for each type, and tests run together: each test has a type
//! of its own.

use burn::backend::profile::{Mode, Profile, Report, Row, Span, Synced, Trace};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn::nn::{Linear, LinearConfig, Lstm, LstmConfig};
use burn::optim::{AdamConfig, GradientsParams, Optimizer};
use burn::tensor::backend::Backend;
use burn::tensor::{DType, Tensor};
use serde_json::Value;
use std::time::Duration;

fn row(report: &Report, name: &str) -> Row {
    report
        .by_name()
        .into_iter()
        .find(|row| row.name == name)
        .unwrap_or_else(|| panic!("no {name} in\n{report}"))
}

/// Unsynced, and a type of its own for each number.
#[derive(Clone, Copy, Debug, Default)]
struct Own<const N: u8>;

impl<const N: u8> Mode for Own<N> {
    const SYNCED: bool = false;
}

#[test]
fn calls_are_counted_with_their_bytes() {
    type P = Profile<NdArray, Own<0>>;
    let device = Default::default();
    let x = Tensor::<P, 2>::ones([2, 3], &device);
    let y = Tensor::<P, 2>::ones([3, 4], &device);
    for _ in 0..3 {
        let _ = x.clone().matmul(y.clone());
    }
    let _ = x.sum().into_data();
    let report = P::report();
    let matmul = row(&report, "matmul");
    assert_eq!((matmul.count, matmul.bytes), (3, 3 * 4 * (2 * 3 + 3 * 4 + 2 * 4)));
    assert!(matmul.least <= matmul.mean() && matmul.mean() <= matmul.most && matmul.most <= matmul.total);
    assert_eq!(row(&report, "full").count, 2);
    assert_eq!(row(&report, "into_data").bytes, 4);
    assert_eq!(row(&report, "sum").count, 1);
    let shapes: Vec<_> = report.by_shape().iter().filter(|row| row.name == "matmul").collect();
    let operands = shapes[0].operands.as_deref().unwrap();
    assert_eq!((shapes.len(), operands.len(), operands[1].dtype), (1, 2, DType::F32));
    assert!(report.to_string().lines().count() >= 5, "{report}");
    assert!(format!("{report:#}").contains("matmul f32[2, 3], f32[3, 4]"), "{report:#}");
    let json: Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["by_name"].as_array().unwrap().len(), report.by_name().len());
    P::reset();
    assert!(P::report().by_shape().is_empty());
}

#[test]
fn all_threads_write_into_one_ledger() {
    type P = Profile<NdArray, Own<1>>;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let x = Tensor::<P, 1>::ones([5], &Default::default());
                (0..50).fold(x, |x, _| x.exp().log());
            });
        }
    });
    assert_eq!((row(&P::report(), "exp").count, row(&P::report(), "log").count), (200, 200));
}

#[test]
fn the_backward_pass_is_measured_below_autodiff() {
    type P = Profile<NdArray, Own<2>>;
    let x = Tensor::<Autodiff<P>, 2>::ones([4, 4], &Default::default()).require_grad();
    let gradients = x.clone().matmul(x.clone()).sum().backward();
    assert_eq!(x.grad(&gradients).unwrap().into_scalar_sum(), 128.0);
    // One forward, two backward.
    assert_eq!(row(&P::report(), "matmul").count, 3);
}

trait ScalarSum {
    fn into_scalar_sum(self) -> f32;
}

impl ScalarSum for Tensor<Profile<NdArray, Own<2>>, 2> {
    fn into_scalar_sum(self) -> f32 {
        self.sum().into_scalar()
    }
}

#[test]
fn a_fused_block_is_one_call_and_synced_calls_are_alone() {
    type Below = Profile<NdArray, Own<3>>;
    let x = Tensor::<Fusion<Below>, 1>::ones([100], &Default::default());
    let _ = (x.exp() * 2 + 1).into_data();
    let block = row(&Below::report(), "block exp+mul+add");
    assert_eq!((block.count, block.bytes), (1, 800));
    type Above = Profile<Fusion<Below2>, Synced>;
    type Below2 = Profile<NdArray, Own<4>>;
    let x = Tensor::<Above, 1>::ones([100], &Default::default());
    let _ = (x.exp() * 2 + 1).into_data();
    assert_eq!(row(&Above::report(), "mul").count, 1);
    // Each was computed before the next was asked for.
    assert_eq!((row(&Below2::report(), "exp").count, row(&Below2::report(), "add").count), (1, 1));
}

#[test]
fn a_timeline_has_calls_in_order_up_to_its_limit() {
    type P = Profile<NdArray, Own<5>>;
    assert!(P::finish_trace().events.is_empty());
    let x = Tensor::<P, 1>::ones([8], &Default::default());
    P::start_trace(3);
    let _ = x.exp().log().sqrt().abs().floor();
    let trace = P::finish_trace();
    let names: Vec<_> = trace.events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!((names, trace.left_out), (vec!["exp", "log", "sqrt"], 2));
    let ends: Vec<Duration> = trace.events.iter().map(|event| event.begin + event.duration).collect();
    assert!(trace.events.windows(2).zip(&ends).all(|(pair, end)| *end <= pair[1].begin), "{trace:?}");
    let json: Value = serde_json::from_str(&trace.to_chrome_json()).unwrap();
    let event = &json["traceEvents"][1];
    assert_eq!(
        (&event["name"], &event["ph"], &event["args"]["operands"]),
        (&"log".into(), &"X".into(), &"f32[8]".into())
    );
    assert_eq!(json["otherData"]["left_out"], 2);
}

#[derive(Module, Debug)]
struct Classifier<B: Backend> {
    convolution: Conv2d<B>,
    encoder: TransformerEncoder<B>,
    lstm: Lstm<B>,
    output: Linear<B>,
}

impl<B: Backend> Classifier<B> {
    fn new(device: &B::Device) -> Self {
        Classifier {
            convolution: Conv2dConfig::new([1, 4], [3, 3]).init(device),
            encoder: TransformerEncoderConfig::new(4, 8, 2, 2).with_dropout(0.0).init(device),
            lstm: LstmConfig::new(4, 4, true).init(device),
            output: LinearConfig::new(4, 3).init(device),
        }
    }

    fn forward(&self, images: Tensor<B, 4>) -> Tensor<B, 2> {
        let x = self.convolution.forward(images).floor();
        let x = self.encoder.forward(TransformerEncoderInput::new(x.flatten::<3>(2, 3).swap_dims(1, 2)));
        let (x, _) = self.lstm.forward(x.ceil(), None);
        self.output.forward(x.mean_dim(1).squeeze_dim::<2>(1)).log()
    }
}

/// Paths of the calls of an operation, in the order of the trace, each once.
fn paths(trace: &Trace, name: &str) -> Vec<String> {
    let mut paths: Vec<String> =
        trace.events.iter().filter(|event| event.name == name).map(|event| event.module.clone()).collect();
    paths.dedup();
    paths
}

#[test]
fn calls_are_listed_by_the_module_whose_parameters_they_read() {
    type P = Profile<NdArray, Own<6>>;
    let device = Default::default();
    let model = Classifier::<P>::new(&device);
    let images = Tensor::ones([2, 1, 5, 5], &device);
    // The first pass initializes the parameters.
    let _ = model.forward(images.clone());
    P::reset();
    P::start_trace(1000);
    let _ = model.forward(images);
    // Paths that are known after the calls name them too.
    model.profile_by_module();
    let trace = P::finish_trace();

    assert_eq!(paths(&trace, "conv"), ["convolution"]);
    let layers = |parts: &[&str]| -> Vec<String> {
        let of = |layer: usize| parts.iter().map(move |part| format!("encoder.layers.{layer}.{part}"));
        (0..2).flat_map(of).collect()
    };
    let linear =
        ["mha.query", "mha.key", "mha.value", "mha.output", "pwff.linear_inner", "pwff.linear_outer"];
    let expected = [layers(&linear), vec!["lstm.layers.0".into(), "output".into()]].concat();
    assert_eq!(paths(&trace, "matmul"), expected);
    // Between the projections it is the attention that computes, and beside the sublayers it is the layer.
    assert_eq!(paths(&trace, "attention"), layers(&["mha"]));
    assert_eq!(paths(&trace, "gelu"), layers(&["pwff"]));
    let sums = trace.events.iter().filter(|event| event.name == "add" && event.module == "encoder.layers.1");
    assert_eq!(sums.count(), 2);
    assert_eq!(paths(&trace, "recurrent"), ["lstm.layers.0"]);
    // The model itself computes between its layers.
    assert_eq!(["floor", "ceil", "log"].map(|name| paths(&trace, name)), [[""]; 3]);

    let report = P::report();
    let encoder = report.within("encoder");
    assert_eq!(encoder.by_name().iter().find(|row| row.name == "matmul").unwrap().count, 12);
    assert_eq!(
        encoder.total(),
        report.within("encoder.layers.0").total() + {
            report.within("encoder.layers.1").total() + report.within("encoder.norm").total()
        }
    );
    assert!(report.module_table().contains("encoder.layers.1.mha.query"), "{}", report.module_table());

    // In the trace a module is a slice around those inside of it.
    let json: Value = serde_json::from_str(&trace.to_chrome_json()).unwrap();
    let slices: Vec<&Value> =
        json["traceEvents"].as_array().unwrap().iter().filter(|event| event["cat"] == "module").collect();
    // In whole nanoseconds: a sum of two rounded fractions of a microsecond can miss its last bit.
    let nanoseconds = |value: &Value| (value.as_f64().unwrap() * 1000.0).round() as u64;
    let times = |path: &str| {
        let slice = slices.iter().find(|slice| slice["name"] == path).unwrap();
        let begin = nanoseconds(&slice["ts"]);
        (begin, begin + nanoseconds(&slice["dur"]))
    };
    let chain = ["encoder", "encoder.layers", "encoder.layers.1", "encoder.layers.1.mha"].map(times);
    assert!(chain.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[1].1 <= pair[0].1), "{chain:?}");
}

#[test]
fn a_training_step_lists_forward_backward_and_optimizer_by_module() {
    type P = Profile<NdArray, Own<7>>;
    type B = Autodiff<P>;
    let device = Default::default();
    let mut model = Classifier::<B>::new(&device);
    let mut optimizer = AdamConfig::new().init();
    let mut step = |model: Classifier<B>| {
        let loss = model.forward(Tensor::ones([2, 1, 5, 5], &device)).sum();
        let gradients = GradientsParams::from_grads(loss.backward(), &model);
        optimizer.step(1e-3, model, gradients)
    };
    // The program does not name the modules: the first step of the optimizer does.
    model = step(model);
    P::reset();
    let _model = step(model);
    let report = P::report();
    let count = |path: &str, name: &str| {
        let inside = report.by_call().iter().filter(|row| row.module == path && row.name == name);
        inside.map(|row| row.count).sum::<u64>()
    };
    // A product forward, and two backward: for the input and for the weight.
    assert_eq!(count("output", "matmul"), 1);
    assert_eq!(count("output (backward)", "matmul"), 2);
    assert_eq!(count("encoder.layers.1.pwff.linear_inner (backward)", "matmul"), 2);
    // The derivative of the logarithm is a quotient.
    assert_eq!(count("(backward)", "div"), 1);
    // Adam computes a square root for each parameter, in one block with the rest of its formula.
    let roots = |path: &str| {
        let inside = report.by_call().iter().filter(|row| row.module == path && row.name.contains("sqrt"));
        inside.map(|row| row.count).sum::<u64>()
    };
    assert_eq!((roots("output (optimizer)"), roots("encoder.layers.0.mha.query (optimizer)")), (2, 2));
    // All of it belongs to some part.
    let parts = ["convolution", "encoder", "lstm", "output", "(backward)", "(optimizer)"];
    let known: Duration = parts.iter().map(|part| report.within(part).total()).sum();
    let outside: Duration =
        report.by_call().iter().filter(|row| row.module.is_empty()).map(|row| row.total).sum();
    assert_eq!(known + outside, report.total());
}

#[test]
fn a_span_names_calls_outside_of_layers() {
    type P = Profile<NdArray, Own<8>>;
    let device = Default::default();
    let layer = LinearConfig::new(2, 2).init::<P>(&device);
    let x = Tensor::<P, 2>::ones([2, 2], &device);
    let names = |operation: &str| -> Vec<String> {
        let report = P::report();
        report.by_call().iter().filter(|row| row.name == operation).map(|row| row.module.clone()).collect()
    };
    let _span = Span::enter("step");
    let _ = layer.forward(x.exp()).log();
    // Where the path is not known it is that of the span.
    assert_eq!(["exp", "matmul", "log"].map(names), [["step"]; 3]);
    #[derive(Module, Debug)]
    struct Head<B: Backend> {
        last: Linear<B>,
    }
    Head { last: layer }.profile_by_module();
    assert_eq!(["exp", "matmul", "log"].map(names), [["step"], ["last"], ["step"]]);
}
