//! Calls that the library of a device has nothing for.

use crate::device::library::Answer;
use crate::device::warning::warn;
use crate::launch::tensor::CubeTensor;
use burn_backend::{DType, HasSpec, TensorSpec};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// Warnings already given, by device, operation and element type.
static GIVEN: Mutex<BTreeSet<(String, &'static str, String)>> = Mutex::new(BTreeSet::new());

/// Warns that the library lacks a call that it should have, with its last answer: once for each operation and
/// element type of a device.
pub fn warn_once(answer: &Answer, op: &'static str, operands: &[&CubeTensor]) {
    let Answer::Failed(cause) = answer else { return };
    let (device, dtype) = (operands[0].engine().name(), operands[0].dtype());
    if is_new(&mut GIVEN.lock().expect("nobody panics while it is held"), device, op, dtype) {
        warn(&text(device, op, operands.iter().map(|x| x.spec()), cause));
    }
}

fn is_new(
    given: &mut BTreeSet<(String, &'static str, String)>,
    device: &str,
    op: &'static str,
    dtype: DType,
) -> bool {
    given.insert((device.to_string(), op, dtype.to_string()))
}

fn text<'a>(device: &str, op: &str, operands: impl Iterator<Item = &'a TensorSpec>, cause: &str) -> String {
    let operands: Vec<_> = operands.map(|spec| format!("{:?}", &spec.shape[..])).collect();
    let operands = operands.join(", ");
    format!("{device}: {op} of {operands}: {cause}; it is computed by kernels of ours, which are slower")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_and_element_type_warns_once() {
        let mut given = BTreeSet::new();
        let mut new = |op, dtype| is_new(&mut given, "cuda:0", op, dtype);
        assert!(new("conv", DType::F32));
        assert!(new("conv", DType::F16));
        assert!(new("attention", DType::F32));
        assert!(!new("conv", DType::F32));
        assert!(is_new(&mut given, "cuda:1", "conv", DType::F32));
    }

    #[test]
    fn a_warning_names_device_operation_shapes_and_cause() {
        let specs = [TensorSpec::new([2, 3, 5], DType::F32), TensorSpec::new([7, 3, 1], DType::F32)];
        assert_eq!(
            text("cuda:0", "conv", specs.iter(), "cuDNN: finalize: no engine"),
            "cuda:0: conv of [2, 3, 5], [7, 3, 1]: cuDNN: finalize: no engine; it is computed by kernels of ours, which are slower"
        );
    }
}
