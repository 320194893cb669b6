//! DS: how tensors are printed.
//!
//! The options are of the whole program, so tests that depend on them take turns.

use crate::given::{B, CPU, bool, float, int};
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::{Int, PrintOptions, Tensor, set_print_options};
use std::sync::{Mutex, MutexGuard};

/// No other test changes the options until this is dropped, which restores them.
struct Turn(#[allow(dead_code)] MutexGuard<'static, ()>);

impl Turn {
    fn take() -> Self {
        static TURNS: Mutex<()> = Mutex::new(());
        Turn(TURNS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        set_print_options(PrintOptions::default());
    }
}

#[test]
fn ds_001_a_float_tensor_prints_as_a_block() {
    let _turn = Turn::take();
    let x = Tensor::<B, 2>::full([2, 3], 0.123456789, CPU);
    let golden = r#"Tensor {
  data:
[[0.12345679, 0.12345679, 0.12345679],
 [0.12345679, 0.12345679, 0.12345679]],
  shape:  [2, 3],
  device:  Cpu,
  backend:  "ndarray",
  kind:  "Float",
  dtype:  "f32",
}"#;
    assert_eq!(x.to_string(), golden);
}

#[test]
fn ds_001_kind_and_dtype_are_those_of_the_tensor() {
    let _turn = Turn::take();
    let ints = r#"Tensor {
  data:
[-1, 20],
  shape:  [2],
  device:  Cpu,
  backend:  "ndarray",
  kind:  "Int",
  dtype:  "i64",
}"#;
    assert_eq!(int::<1>([-1, 20]).to_string(), ints);
    let bools = r#"Tensor {
  data:
[[true],
 [false]],
  shape:  [2, 1],
  device:  Cpu,
  backend:  "ndarray",
  kind:  "Bool",
  dtype:  "bool",
}"#;
    assert_eq!(bool::<2>([[true], [false]]).to_string(), bools);
}

fn values(text: &str) -> &str {
    let start = text.find("data:\n").expect("a block") + "data:\n".len();
    &text[start..text.find(",\n  shape:").expect("a block")]
}

#[test]
fn ds_002_a_precision_limits_the_decimals() {
    let _turn = Turn::take();
    let x = float::<1>([0.126, 2.0, -1.5]);
    assert_eq!(values(&format!("{x:.2}")), "[0.13, 2.00, -1.50]");
    assert_eq!(values(&format!("{:.0}", int::<1>([3]))), "[3]", "integers have no decimals");
}

#[test]
fn ds_003_device_and_backend_lines_of_decorated_backends() {
    let _turn = Turn::take();
    let lines = |text: String| {
        text.lines()
            .filter(|line| line.contains("device:") || line.contains("backend:"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let plain = Tensor::<NdArray, 1>::ones([1], CPU).to_string();
    assert_eq!(lines(plain), "  device:  Cpu,\n  backend:  \"ndarray\",");
    let tracked = Tensor::<Autodiff<NdArray>, 1>::ones([1], CPU).to_string();
    assert_eq!(lines(tracked), "  device:  Cpu,\n  backend:  \"autodiff<ndarray>\",");
    let both = Tensor::<Autodiff<Fusion<NdArray>>, 1>::ones([1], CPU).to_string();
    assert_eq!(lines(both), "  device:  Cpu,\n  backend:  \"autodiff<fusion<ndarray>>\",");
}

#[test]
fn ds_004_the_default_options() {
    let options = PrintOptions::default();
    assert_eq!(options, PrintOptions { precision: None, threshold: 1000, edge_items: 3 });
}

#[test]
fn ds_005_options_hold_in_every_thread() {
    let _turn = Turn::take();
    set_print_options(PrintOptions { precision: Some(1), ..PrintOptions::default() });
    let text = std::thread::spawn(|| float::<1>([0.25, 1.0]).to_string()).join().unwrap();
    assert_eq!(values(&text), "[0.2, 1.0]");
    assert_eq!(values(&format!("{:.3}", float::<1>([0.25]))), "[0.250]", "the format of the call wins");
}

#[test]
fn ds_006_large_tensors_are_summarised() {
    let _turn = Turn::take();
    let x = Tensor::<B, 1, Int>::arange(0..1001, CPU);
    assert_eq!(values(&x.to_string()), "[0, 1, 2, ..., 998, 999, 1000]");
    let whole = Tensor::<B, 1, Int>::arange(0..1000, CPU).to_string();
    assert!(!whole.contains("..."), "1000 elements are not too many");
    set_print_options(PrintOptions { threshold: 5, edge_items: 1, ..PrintOptions::default() });
    let x = Tensor::<B, 1, Int>::arange(0..9, CPU).reshape([3, 3]);
    assert_eq!(values(&x.to_string()), "[[0, ..., 2],\n ...,\n [6, ..., 8]]");
}
