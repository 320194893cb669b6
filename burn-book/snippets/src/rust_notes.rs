use burn::backend::{Autodiff, NdArray};
use burn::nn::{Linear, LinearConfig, Relu};
use burn::prelude::*;
use burn::tensor::backend::AutodiffBackend;

type B = NdArray;

#[test]
fn tensors_move_and_clones_share() {
    let device = Default::default();
    // ANCHOR: moves
    let x = Tensor::<B, 1>::from_data([3.0, 4.0], &device);
    let squares = x.clone() * x.clone(); // x is needed again: clone it
    let norm = squares.sum().sqrt(); // squares and its sum are not: they move
    let unit = x / norm; // the last use of x
    // ANCHOR_END: moves
    assert_eq!(unit.into_data().to_vec::<f32>().unwrap(), [0.6, 0.8]);
}

#[test]
fn references_lend() {
    // ANCHOR: references
    fn report(name: &str, x: &Tensor<B, 2>) {
        println!("{name} has the shape {:?}", x.dims()); // reading the shape takes nothing away
    }

    let device = Default::default();
    let weight = Tensor::<B, 2>::ones([2, 3], &device);
    report("weight", &weight);
    let transposed = weight.transpose(); // it is still here to be moved
    // ANCHOR_END: references
    assert_eq!(transposed.dims(), [3, 2]);
}

#[test]
fn names_are_bound_anew() {
    let device = Default::default();
    // ANCHOR: shadowing
    let x = Tensor::<B, 2>::ones([2, 3], &device);
    let x = x.reshape([6]); // the same name, another type: Tensor<B, 1>
    let mut sum = 0.0; // `mut` is for what changes in place
    for value in x.into_data().iter::<f32>() {
        sum += value;
    }
    // ANCHOR_END: shadowing
    assert_eq!(sum, 6.0);
}

// ANCHOR: generics
/// Standardizes the rows of a matrix, on any backend.
fn standardize<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    let mean = x.clone().mean_dim(1);
    let deviation = x.clone().var(1).sqrt();
    (x - mean) / deviation
}

/// Gradient of the sum of squares, on a backend that has gradients, for a tensor of any rank.
fn slope<B: AutodiffBackend, const D: usize>(x: Tensor<B, D>) -> Option<Tensor<B::InnerBackend, D>> {
    let x = x.require_grad();
    let gradients = x.clone().square().sum().backward();
    x.grad(&gradients)
}
// ANCHOR_END: generics

#[test]
fn generic_functions_are_called_with_types() {
    let device = Default::default();
    // ANCHOR: calls
    let x = Tensor::<NdArray, 2>::from_data([[1.0, 3.0]], &device); // types are given here,
    let rows = standardize(x); // and inferred here

    let x = Tensor::<Autodiff<NdArray>, 1>::from_data([1.0, -2.0], &device);
    let values: Vec<f32> = slope(x).expect("it depends on x").into_data().iter().collect();
    // ANCHOR_END: calls
    assert_eq!(values, [2.0, -4.0]);
    let rows: Vec<f32> = rows.into_data().iter().collect();
    assert!((rows[1] - 0.5_f32.sqrt()).abs() < 1e-6, "{rows:?}");
}

// ANCHOR: traits
/// Something that maps features to features: a trait is a list of functions.
trait Layer<B: Backend> {
    fn apply(&self, x: Tensor<B, 2>) -> Tensor<B, 2>;
}

impl<B: Backend> Layer<B> for Linear<B> {
    fn apply(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.forward(x)
    }
}

impl<B: Backend> Layer<B> for Relu {
    fn apply(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        self.forward(x)
    }
}

/// Layers of different types as one type, chosen while the program runs.
fn chain<B: Backend>(layers: &[Box<dyn Layer<B>>], x: Tensor<B, 2>) -> Tensor<B, 2> {
    layers.iter().fold(x, |x, layer| layer.apply(x))
}
// ANCHOR_END: traits

#[test]
fn layers_of_several_types_are_chained() {
    let device = Default::default();
    let linear = LinearConfig::new(3, 2).init::<B>(&device);
    let layers: Vec<Box<dyn Layer<B>>> = vec![Box::new(linear), Box::new(Relu::new())];
    let y = chain(&layers, Tensor::ones([4, 3], &device));
    assert_eq!(y.dims(), [4, 2]);
    assert!(y.min().into_scalar() >= 0.0);
}

// ANCHOR: struct
/// A struct has fields; `derive` writes implementations of traits for it.
#[derive(Module, Debug)]
struct Classifier<B: Backend> {
    hidden: Linear<B>,
    output: Linear<B>,
    activation: Relu,
}

impl<B: Backend> Classifier<B> {
    /// There are no constructors: a function that returns the struct will do.
    fn new(classes: usize, device: &B::Device) -> Self {
        Self {
            hidden: LinearConfig::new(4, 8).init(device),
            output: LinearConfig::new(8, classes).init(device),
            activation: Relu::new(),
        }
    }

    /// `&self` lends the model to the method: it can be called again.
    fn forward(&self, x: Tensor<B, 2>) -> Tensor<B, 2> {
        let x = self.activation.forward(self.hidden.forward(x));
        self.output.forward(x) // the last expression, without a semicolon, is the result
    }
}
// ANCHOR_END: struct

#[test]
fn a_struct_has_methods() {
    let device = Default::default();
    let model = Classifier::<B>::new(3, &device);
    assert_eq!(model.forward(Tensor::ones([2, 4], &device)).dims(), [2, 3]);
}

// ANCHOR: enum
/// One of several, each with data of its own.
#[derive(Clone, Debug)]
enum Schedule {
    Constant(f64),
    Linear { start: f64, end: f64, steps: usize },
}

impl Schedule {
    fn rate(&self, step: usize) -> f64 {
        match self {
            Schedule::Constant(rate) => *rate,
            // Leaving out a variant is an error of the compiler.
            Schedule::Linear { start, end, steps } => {
                let share = (step as f64 / *steps as f64).min(1.0);
                start + share * (end - start)
            }
        }
    }
}
// ANCHOR_END: enum

#[test]
fn a_schedule_is_one_of_two() {
    let schedules = [Schedule::Constant(0.5), Schedule::Linear { start: 1.0, end: 0.0, steps: 4 }];
    assert_eq!(schedules.map(|schedule| schedule.rate(1)), [0.5, 0.75]);
}

// ANCHOR: results
/// Reads numbers that are separated by commas, as a tensor.
fn parse<B: Backend>(text: &str, device: &B::Device) -> Result<Tensor<B, 1>, Box<dyn std::error::Error>> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        numbers.push(part.trim().parse::<f32>()?); // `?` returns the error to the caller
    }
    Ok(Tensor::from_data(numbers.as_slice(), device))
}
// ANCHOR_END: results

#[test]
fn errors_are_values() {
    let device = Default::default();
    // ANCHOR: matching
    match parse::<B>("1, 2, x", &device) {
        Ok(tensor) => println!("{tensor}"),
        Err(error) => println!("not a list of numbers: {error}"), // invalid float literal
    }
    let tensor = parse::<B>("1, 2", &device).expect("the text is part of the program");
    // ANCHOR_END: matching
    assert_eq!(tensor.into_data().to_vec::<f32>().unwrap(), [1.0, 2.0]);
    assert_eq!(parse::<B>("1, 2, x", &device).unwrap_err().to_string(), "invalid float literal");
}

#[test]
fn iterators_and_closures_work_together() {
    let device: <B as Backend>::Device = Default::default();
    // ANCHOR: iterators
    let widths = [4, 8, 3];
    let layers: Vec<Linear<B>> = widths
        .windows(2) // [4, 8] and [8, 3]
        .map(|pair| LinearConfig::new(pair[0], pair[1]).init(&device))
        .collect();
    let x = Tensor::ones([2, 4], &device);
    let y = layers.iter().fold(x, |x, layer| layer.forward(x));
    // ANCHOR_END: iterators
    assert_eq!(y.dims(), [2, 3]);
}

#[test]
fn threads_take_what_they_need() {
    let device = Default::default();
    // ANCHOR: threads
    let model = Classifier::<B>::new(3, &device);
    let batches = [1.0, 2.0].map(|value| Tensor::<B, 2>::full([2, 4], value, &device));
    let outputs: Vec<TensorData> = std::thread::scope(|scope| {
        let model = &model;
        let threads = batches.map(|batch| scope.spawn(move || model.forward(batch).into_data()));
        threads.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    // ANCHOR_END: threads
    assert!(outputs.len() == 2 && outputs.iter().all(|output| output.num_elements() == 6));
}
