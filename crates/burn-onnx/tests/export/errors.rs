//! Forward passes and arguments that cannot be exported.

use super::cases::{C, numbers};
use burn::tensor::{Tensor, linalg};
use burn_onnx::export::{ExportError, OnnxExport};

#[test]
fn x_405_all_operations_without_a_counterpart_are_named_at_once() {
    let export = OnnxExport::new();
    let error = export
        .to_bytes(&0_usize, numbers([3, 3]), |_, x| {
            let (q, _) = linalg::qr(x.clone());
            (linalg::solve(x.clone(), q), x.exp())
        })
        .unwrap_err();
    let ExportError::Unsupported(operations) = &error else { panic!("{error}") };
    let names: Vec<&str> = operations.iter().map(|operation| &operation.operation[..]).collect();
    assert!(names.contains(&"solve") && names.len() > 1, "{error}");
    assert!(error.to_string().contains("solve (step "), "{error}");
}

#[test]
fn x_405_constants_and_branches_that_depend_on_a_size_name_the_step() {
    let export = OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch");
    let error = export
        .to_bytes(&0_usize, numbers([3, 2]), |_, x: Tensor<C, 2>| {
            let host = vec![0.5_f32; x.dims()[0]];
            x.clone().abs() * Tensor::<C, 1>::from_floats(&host[..], &x.device()).unsqueeze_dim::<2>(1)
        })
        .unwrap_err();
    assert!(matches!(error, ExportError::Structure { step: 1, .. }), "{error}");
    assert!(error.to_string().contains("a constant that is made from host data"), "{error}");
    let error = export
        .to_bytes(&0_usize, numbers([3, 2]), |_, x: Tensor<C, 2>| match x.dims()[0] {
            3 => x.exp(),
            _ => x.abs(),
        })
        .unwrap_err();
    assert!(matches!(error, ExportError::Structure { step: 0, .. }), "{error}");
    assert!(error.to_string().contains("expected `exp`, got `abs`; recorded again with batch = "), "{error}");
}

#[test]
fn x_405_numbers_that_no_formula_gives_name_the_operation() {
    let export = OnnxExport::new().inputs(["x"]).dynamic("x", 0, "batch");
    let error = export
        .to_bytes(&0_usize, numbers([6, 2]), |_, x: Tensor<C, 2>| {
            let half = x.dims()[0] / 2;
            x.narrow(0, 0, half)
        })
        .unwrap_err();
    let ExportError::Unsupported(operations) = &error else { panic!("{error}") };
    assert_eq!((&operations[0].operation[..], operations[0].step), ("slice", 0));
    assert!(error.to_string().contains("depends on the size of `batch`"), "{error}");
}

#[test]
fn x_405_names_and_dimensions_are_checked() {
    let run = |export: OnnxExport| {
        let error = export.to_bytes(&0_usize, (numbers([2, 3]), numbers([4, 3])), |_, (x, y)| (x.exp(), y));
        error.unwrap_err().to_string()
    };
    let names = OnnxExport::new().inputs(["x", "y"]);
    for (export, expected) in [
        (OnnxExport::new().inputs(["x"]), "the sample has 2 tensors, but 1 names were given"),
        (OnnxExport::new().inputs(["x", "x"]), "names of inputs are different"),
        (names.clone().outputs(["z"]), "has 2 outputs, but 1 names were given"),
        (names.clone().outputs(["x", "z"]), "names of outputs"),
        (
            names.clone().dynamic("z", 0, "batch"),
            "`z`: a dynamic dimension is given of an input that there is not",
        ),
        (names.clone().dynamic("x", 2, "batch"), "dimension 2 is dynamic, but the sample has rank 2"),
        (names.dynamic("x", 0, "batch").dynamic("y", 0, "batch"), "expected 2, as in another input, got 4"),
    ] {
        let error = run(export);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn x_405_a_file_that_cannot_be_written_is_named() {
    let error = OnnxExport::new()
        .save("no/such/folder/net.onnx", &0_usize, numbers([2]), |_, x: Tensor<C, 1>| x.exp())
        .unwrap_err();
    assert!(matches!(&error, ExportError::Write { path, .. } if path.ends_with("net.onnx")), "{error}");
}
