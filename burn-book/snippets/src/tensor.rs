use burn::backend::NdArray;
use burn::prelude::*;

#[test]
fn a_tensor_has_backend_rank_and_kind() {
    // ANCHOR: types
    let device = Default::default();
    let pixels: Tensor<NdArray, 3> = Tensor::zeros([3, 28, 28], &device);
    let labels: Tensor<NdArray, 1, Int> = Tensor::arange(0..10, &device);
    let is_odd: Tensor<NdArray, 1, Bool> = (labels % 2).equal_elem(1);

    let [channels, height, width] = pixels.dims();
    // ANCHOR_END: types
    assert_eq!([channels, height, width], [3, 28, 28]);
    assert_eq!(is_odd.int().sum().into_scalar(), 5);
}

#[test]
fn tensors_are_created() {
    type B = NdArray;
    // ANCHOR: creation
    use burn::tensor::Distribution;

    let device = Default::default();
    let given = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let zeros = Tensor::<B, 2>::zeros([2, 2], &device);
    let sevens = Tensor::<B, 2>::full([2, 2], 7, &device);
    let like_given = given.ones_like();
    let identity = Tensor::<B, 2>::eye(2, &device);
    let steps = Tensor::<B, 1, Int>::arange(0..4, &device);
    let noise = Tensor::<B, 2>::random([2, 2], Distribution::Normal(0.0, 0.1), &device);
    // ANCHOR_END: creation
    let sum = given + zeros + sevens + like_given + identity;
    assert_eq!(sum.into_data().to_f64(), [10.0, 10.0, 11.0, 13.0]);
    assert_eq!(steps.into_data().to_f64(), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(noise.dims(), [2, 2]);
}

#[test]
fn element_types_are_chosen() {
    // ANCHOR: dtype
    use burn::tensor::DType;

    let device = Default::default();
    let x = Tensor::<NdArray, 1>::from_data([1.0, 2.0], &device);
    assert_eq!(x.dtype(), DType::F32);
    assert_eq!(x.clone().cast(DType::F64).dtype(), DType::F64);
    assert_eq!(x.int().dtype(), DType::I64);

    // The type of new tensors is a parameter of the backend.
    let precise = Tensor::<NdArray<f64>, 1>::from_data([1.0, 2.0], &device);
    assert_eq!(precise.dtype(), DType::F64);
    // ANCHOR_END: dtype
}

#[test]
fn operations_take_their_operands() {
    // ANCHOR: operations
    let device = Default::default();
    let x = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);

    let centred = x.clone() - x.clone().mean_dim(0);
    let scaled = centred / (x.clone().var(0) + 1e-5).sqrt();
    let product = x.transpose().matmul(scaled);
    // ANCHOR_END: operations
    assert_eq!(product.dims(), [2, 2]);
}

#[test]
fn parts_are_taken_and_written() {
    // ANCHOR: slices
    let device = Default::default();
    let x = Tensor::<NdArray, 2>::from_data([[1, 2, 3], [4, 5, 6]], &device);

    let last_column = x.clone().slice(s![.., -1]);
    let every_second = x.clone().slice(s![.., ..;2]);
    let reversed = x.clone().slice(s![..;-1]);
    let first_row = x.clone().slice([0..1]);
    let mirrored = x.clone().slice_dim(1, s![..;-1]);
    let written = x.slice_assign(s![1, ..2], Tensor::zeros([1, 2], &device));
    // ANCHOR_END: slices
    let values = |x: Tensor<NdArray, 2>| x.into_data().to_f64();
    assert_eq!(last_column.dims(), [2, 1]);
    assert_eq!(values(last_column), [3.0, 6.0]);
    assert_eq!(values(every_second), [1.0, 3.0, 4.0, 6.0]);
    assert_eq!(values(mirrored), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    assert_eq!(values(reversed), [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
    assert_eq!(values(first_row), [1.0, 2.0, 3.0]);
    assert_eq!(values(written), [1.0, 2.0, 3.0, 0.0, 0.0, 6.0]);
}

#[test]
fn elements_are_chosen_by_places_and_by_truth() {
    // ANCHOR: choose
    let device = Default::default();
    let x = Tensor::<NdArray, 2>::from_data([[1.0, -2.0], [-3.0, 4.0], [5.0, 6.0]], &device);

    let rows = x.clone().select(0, Tensor::from_data([2, 0], &device));
    let picked = x.clone().gather(1, Tensor::from_data([[1], [0], [0]], &device));
    let positive = x.clone().mask_fill(x.lower_elem(0), 0);
    // ANCHOR_END: choose
    assert_eq!(rows.into_data().to_f64(), [5.0, 6.0, 1.0, -2.0]);
    assert_eq!(picked.into_data().to_f64(), [-2.0, -3.0, 5.0]);
    assert_eq!(positive.into_data().to_f64(), [1.0, 0.0, 0.0, 4.0, 5.0, 6.0]);
}

#[test]
fn shapes_change() {
    // ANCHOR: shapes
    let device = Default::default();
    let x = Tensor::<NdArray, 1, Int>::arange(0..24, &device);

    let volume: Tensor<_, 3, _> = x.reshape([2, 3, -1]);
    let matrix: Tensor<_, 2, _> = volume.clone().flatten(1, 2);
    let turned = volume.permute([2, 0, 1]);
    let with_batch: Tensor<_, 4, _> = turned.clone().unsqueeze();
    let joined = Tensor::cat(vec![turned.clone(), turned.clone()], 0);
    let stacked: Tensor<_, 4, _> = Tensor::stack(vec![turned.clone(), turned.clone()], 0);
    // ANCHOR_END: shapes
    assert_eq!(matrix.dims(), [2, 12]);
    assert_eq!(turned.dims(), [4, 2, 3]);
    assert_eq!(with_batch.dims(), [1, 4, 2, 3]);
    assert_eq!(joined.dims(), [8, 2, 3]);
    assert_eq!(stacked.dims(), [2, 4, 2, 3]);
}

#[test]
fn tensors_are_printed() {
    // ANCHOR: printing
    let x = Tensor::<NdArray, 2>::from_data([[1.0, 0.5], [2.0, 1.0 / 3.0]], &Default::default());
    let text = format!("{x:.2}");
    // ANCHOR_END: printing
    let shown = "\
Tensor {
  data:
[[1.00, 0.50],
 [2.00, 0.33]],
  shape:  [2, 2],
  device:  Cpu,
  backend:  \"ndarray\",
  kind:  \"Float\",
  dtype:  \"f32\",
}";
    assert_eq!(text, shown);
}

#[test]
fn data_goes_in_and_out() {
    // ANCHOR: data
    let device = Default::default();
    let numbers: Vec<f32> = (0..6).map(|i| i as f32).collect();
    let x = Tensor::<NdArray, 2>::from_data(TensorData::new(numbers, [2, 3]), &device);

    let data = x.clone().into_data();
    assert_eq!(data.shape, [2, 3].into());
    let values: Vec<f32> = data.to_vec().expect("the elements are f32");
    let converted: Vec<i64> = data.iter::<i64>().collect();
    let total: f32 = x.sum().into_scalar();
    // ANCHOR_END: data
    assert_eq!(values, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(converted, [0, 1, 2, 3, 4, 5]);
    assert_eq!(total, 15.0);
    assert!(data.to_vec::<f64>().is_err());
}

#[test]
fn errors_are_values_when_a_program_wants_them() {
    // ANCHOR: errors
    let device = Default::default();
    let x = Tensor::<NdArray, 2>::zeros([2, 3], &device);
    let y = Tensor::<NdArray, 2>::zeros([4, 5], &device);

    let error = x.try_matmul(y).unwrap_err();
    assert_eq!(error.operation(), "matmul");
    println!("{error}");
    // ANCHOR_END: errors
    let text = error.to_string();
    for part in ["matmul", "[2, 3]", "[4, 5]", "tensor.rs"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(error.location().file().ends_with("tensor.rs"));
}

// ANCHOR: server
use burn::tensor::TensorError;

/// Scores a request of unknown shape without panicking: every shape error is returned.
fn score<B: Backend>(features: Tensor<B, 2>, weight: Tensor<B, 2>) -> Result<Tensor<B, 2>, TensorError> {
    let mean = features.clone().try_mean_dim(1)?;
    features.try_sub(mean)?.try_matmul(weight)
}
// ANCHOR_END: server

#[test]
fn a_server_gets_its_error() {
    let device = Default::default();
    let zeros = |shape| Tensor::<NdArray, 2>::zeros(shape, &device);
    assert!(score(zeros([2, 3]), zeros([3, 1])).is_ok());
    assert_eq!(score(zeros([2, 3]), zeros([4, 1])).unwrap_err().operation(), "matmul");
}
