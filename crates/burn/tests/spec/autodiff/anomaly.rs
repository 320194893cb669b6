//! the operation that makes the first NaN or infinity is named.

use crate::given::CPU;
use burn::backend::{Autodiff, NdArray};
use burn::module::{Module, Param};
use burn::nn::{Linear, LinearConfig};
use burn::tensor::{Tensor, activation, anomaly, grad};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

type B = Autodiff<NdArray>;

fn tensor(values: [f64; 3]) -> Tensor<B, 1> {
    Tensor::from_data(values, CPU)
}

/// Returns the message of the anomaly found in `program`.
#[track_caller]
fn found<T>(program: impl FnOnce() -> T) -> String {
    match catch_unwind(AssertUnwindSafe(program)) {
        Ok(_) => panic!("no anomaly was found"),
        Err(message) => *message.downcast::<String>().expect("a message"),
    }
}

fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "no {part:?} in: {message}");
    }
}

#[test]
fn x_105_the_call_that_makes_an_infinity_is_named() {
    let _guard = anomaly::detect();
    let x = tensor([1.0, 0.0, 2.0]).require_grad();
    let line = line!() + 1;
    let message = found(|| ((x * 2).log() + 1).exp());
    says(&message, &["`log` of [3] f32", "-inf at [1]", "node ", &format!("anomaly.rs:{line}")]);
}

#[test]
fn x_105_what_is_not_tracked_is_looked_at_too() {
    let _guard = anomaly::detect();
    let x = tensor([1.0, -1.0, 2.0]);
    let message = found(|| x.clone().sqrt());
    says(&message, &["`sqrt`", "NaN at [1]", "not tracked", "anomaly.rs"]);
    let message = found(|| x.clone() / (x.clone() - x));
    says(&message, &["`div` of [3] f32, [3] f32", "inf at [0]"]);
}

#[test]
fn x_105_a_gradient_is_named_by_its_forward_call() {
    let _guard = anomaly::detect();
    let x = tensor([4.0, 0.0, 1.0]).require_grad();
    let scaled = x * 3;
    let line = line!() + 1;
    let root = scaled.sqrt();
    let loss = (root * 2).sum();
    let message = found(|| loss.backward());
    says(&message, &["the gradient of `sqrt` of [3] f32", "inf at [1]", &format!("anomaly.rs:{line}")]);
}

#[test]
fn x_105_a_gradient_is_named_without_its_line_when_only_backward_is_watched() {
    let loss = tensor([4.0, 0.0, 1.0]).require_grad().sqrt().sum();
    let _guard = anomaly::detect();
    let message = found(|| loss.backward());
    says(&message, &["the gradient of `sqrt` of [3] f32", "in the forward pass too"]);
}

#[test]
fn x_105_a_layer_is_named_by_the_line_of_the_program_that_calls_it() {
    let mut linear: Linear<B> = LinearConfig::new(3, 2).init(CPU);
    linear.weight = linear.weight.map(|weight| weight.full_like(3e38));
    let x = tensor([1.0, 1.0, 1.0]).reshape([1, 3]);
    let _guard = anomaly::detect();
    let line = line!() + 1;
    let message = found(|| linear.forward(x));
    says(&message, &["`matmul` of [1, 3] f32, [3, 2] f32", &format!("anomaly.rs:{line}")]);
}

#[test]
fn x_105_what_was_infinite_before_is_no_anomaly() {
    let _guard = anomaly::detect();
    let x = tensor([1.0, 2.0, 3.0]).require_grad();
    // A mask of attention, which a softmax makes finite again.
    let masked = x.clone().mask_fill(x.clone().greater_elem(2.5), f64::NEG_INFINITY);
    let weights = activation::softmax(masked, 0);
    assert!(x.grad(&weights.square().sum().backward()).is_some());
    // Data with holes.
    let holes = tensor([1.0, f64::NAN, 3.0]).require_grad();
    assert!(holes.grad(&(holes.clone() * 2).sum().backward()).is_some());
    // A number of the program.
    let _ = x.clamp_max(f64::INFINITY) * f64::INFINITY;
}

#[test]
fn x_105_it_is_off_without_a_guard_and_counts_for_its_thread() {
    let infinite = || tensor([0.0, 1.0, 2.0]).log().into_data().to_f64()[0];
    assert_eq!(infinite(), f64::NEG_INFINITY);
    {
        let (_outer, inner) = (anomaly::detect(), anomaly::detect());
        drop(inner);
        assert!(anomaly::is_on());
        found(infinite);
        let elsewhere = std::thread::spawn(move || tensor([0.0, 1.0, 2.0]).log().into_data().to_f64()[0]);
        assert_eq!(elsewhere.join().expect("nobody looks there"), f64::NEG_INFINITY);
    }
    assert!(!anomaly::is_on());
    assert_eq!(infinite(), f64::NEG_INFINITY);
}

#[test]
fn x_105_it_works_in_segments_and_second_derivatives() {
    let _guard = anomaly::detect();
    let x = tensor([4.0, 0.0, 1.0]).require_grad();
    let y = grad::checkpoint(|x: Tensor<B, 1>| x.sqrt() * 2, x);
    says(&found(|| y.backward()), &["the gradient of `sqrt`", "anomaly.rs"]);
    // The slope of x^1.5 at 0 is 0; that of the slope is not finite.
    let x = Tensor::<NdArray, 1>::from_data([4.0, 0.0, 1.0], CPU);
    let curve = |x: Tensor<Autodiff<B>, 1>| x.powf_scalar(1.5).sum();
    says(&found(|| grad::hvp(curve, x.clone(), x.ones_like())), &["inf at [1]"]);
}

/// A module of the program.
#[derive(Module, Debug)]
struct Scale<B: burn::tensor::backend::Backend> {
    factor: Param<Tensor<B, 1>>,
}

impl<B: burn::tensor::backend::Backend> Scale<B> {
    fn forward(&self, x: Tensor<B, 1>) -> Tensor<B, 1> {
        x / self.factor.val()
    }
}

#[test]
fn x_105_a_line_in_a_module_of_the_program_is_a_line_of_the_program() {
    let scale = Scale::<B> { factor: Param::from_tensor(tensor([1.0, 0.0, 1.0])) };
    let _guard = anomaly::detect();
    let message = found(|| scale.forward(tensor([1.0; 3])));
    says(&message, &["`div`", "forward", "anomaly.rs:"]);
}

const CHILD: &str = "BURN_SPEC_ANOMALY_CHILD";

#[test]
fn x_105_the_environment_switches_it_on() {
    let infinite = || tensor([0.0, 1.0, 2.0]).log();
    if std::env::var_os(CHILD).is_some() {
        says(&found(infinite), &["`log`", "anomaly.rs"]);
        return;
    }
    let run = |value: &str| {
        let mut child = Command::new(std::env::current_exe().expect("this program"));
        child.args(["--exact", "autodiff::anomaly::x_105_the_environment_switches_it_on"]);
        child.env(CHILD, "1").env(anomaly::VARIABLE, value).output().expect("it starts").status.success()
    };
    assert!(run("1"));
    assert!(!run("0"), "without it, the child finds nothing");
}
