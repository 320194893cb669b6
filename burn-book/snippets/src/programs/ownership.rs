// ANCHOR: program
use burn::backend::NdArray;
use burn::tensor::Tensor;

fn decay<const D: usize>(x: Tensor<NdArray, D>, y: Tensor<NdArray, D>) -> Tensor<NdArray, D> {
    // `x` comes in by value. If the caller kept no clone, both results are written over its buffer.
    x * 0.5 + y
}

fn main() {
    let device = Default::default();
    let x = Tensor::<NdArray, 1>::from_data([2.0, 4.0], &device);
    let y = Tensor::from_data([1.0, 1.0], &device);
    // A clone is a second handle of the same elements; `x` keeps its values.
    let result = decay(x.clone(), y);
    println!("{} from {}", result.into_data(), x.into_data());
}
// ANCHOR_END: program

#[test]
fn x_701_motivation() {
    crate::page_output::page_prints!("motivation.md");
}
