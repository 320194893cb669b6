use burn::backend::{AnyBackend, AnyDevice, NdArray};
use burn::prelude::*;

#[test]
fn ranks_are_known_when_the_program_runs() {
    // ANCHOR: rank
    use burn::tensor::DynTensor;

    let device = Default::default();
    let matrix = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let row = Tensor::<NdArray, 1>::from_data([10.0, 20.0], &device);

    // Ranks broadcast, as in NumPy.
    let sum = DynTensor::from(matrix) + DynTensor::from(row);
    assert_eq!(sum.rank(), 2);
    let back: Tensor<NdArray, 2> = sum.clone().into_rank();
    assert!(Tensor::<NdArray, 3>::try_from(sum).is_err());
    // ANCHOR_END: rank
    assert_eq!(back.into_data().to_f64(), [11.0, 22.0, 13.0, 24.0]);
}

#[test]
fn backends_are_known_when_the_program_runs() {
    // ANCHOR: backend
    let name = "ndarray";
    let device: AnyDevice = name.parse().expect("a backend that is compiled in");
    let x = Tensor::<AnyBackend, 1>::from_data([1.0, 2.0], &device);
    let doubled = x * 2;
    // ANCHOR_END: backend
    assert_eq!(doubled.into_data().to_f64(), [2.0, 4.0]);
}

// ANCHOR: named
use burn::tensor::named::NamedTensor;

burn::tensor::named_dims!(Batch, Feature, Class);

/// Scores of classes. Features cannot be mistaken for classes.
fn scores<B: Backend>(
    x: NamedTensor<B, (Batch, Feature)>,
    weight: NamedTensor<B, (Feature, Class)>,
) -> NamedTensor<B, (Batch, Class)> {
    x.matmul(weight)
}
// ANCHOR_END: named

#[test]
fn dimensions_have_names() {
    let device = Default::default();
    let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0]], &device);
    let weight = Tensor::<NdArray, 2>::from_data([[1.0, 0.0], [0.0, 1.0]], &device);
    let found: Tensor<NdArray, 2> = scores(x.into(), weight.into()).into();
    assert_eq!(found.into_data().to_f64(), [1.0, 2.0]);
}
