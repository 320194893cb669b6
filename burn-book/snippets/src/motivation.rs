use burn::backend::NdArray;
use burn::tensor::Tensor;

// ANCHOR: ownership
fn decay<const D: usize>(x: Tensor<NdArray, D>, y: Tensor<NdArray, D>) -> Tensor<NdArray, D> {
    // `x` comes in by value. When the caller kept no clone, both results are written over its buffer.
    x * 0.5 + y
}
// ANCHOR_END: ownership

#[test]
fn decay_halves_and_adds() {
    let device = Default::default();
    let [x, y] = [[2.0, 4.0], [1.0, 1.0]].map(|values| Tensor::<NdArray, 1>::from_data(values, &device));
    assert_eq!(decay(x, y).into_data().to_vec::<f32>().unwrap(), [2.0, 3.0]);
}
