use burn::backend::NdArray;
use burn::tensor::{Bool, Distribution, Int, Tensor, TensorData};

type B = NdArray;

#[test]
fn tu_001_creation_and_printing() {
    let device = Default::default();
    let matrix = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    let floats = Tensor::<B, 1>::from_floats([1.0, 2.0, 3.0], &device);
    let zeros = Tensor::<B, 2>::zeros([2, 3], &device);
    let ones = Tensor::<B, 2>::ones([2, 3], &device);
    let full = Tensor::<B, 2>::full([2, 3], 7.0, &device);
    let like = (full.ones_like(), Tensor::zeros_like(&full));
    let uniform = Tensor::<B, 2>::random([2, 3], Distribution::Uniform(0.0, 1.0), &device);
    let normal = Tensor::<B, 2>::random([2, 3], Distribution::Normal(0.0, 1.0), &device);
    let ints = Tensor::<B, 1, Int>::from_data(TensorData::from([0i32, 1, 2, 1]), &device);
    let range = Tensor::<B, 1, Int>::arange(0..5, &device);
    let mask: Tensor<B, 2, Bool> = matrix.clone().greater_elem(2.0);
    for tensor in [&matrix, &zeros, &ones, &full, &like.0, &like.1, &uniform, &normal] {
        let text = format!("{tensor}");
        assert!(text.starts_with("Tensor {\n  data:\n[[") && text.contains("kind:  \"Float\""), "{text}");
    }
    assert!(format!("{floats}").contains("[1.0, 2.0, 3.0]"));
    assert!(format!("{ints}").contains("[0, 1, 2, 1]"));
    assert!(format!("{range}").contains("[0, 1, 2, 3, 4]"));
    assert!(format!("{mask}").contains("[[false, false],\n [true, true]]"));

    let data = matrix.to_data();
    assert_eq!(data.to_string(), "[1.0, 2.0, 3.0, 4.0]");
    assert_eq!(full.into_data().to_string(), "[7.0, 7.0, 7.0, 7.0, 7.0, 7.0]");
    assert_eq!(like.1.into_data().to_string(), "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]");
    let sum: f32 = matrix.sum().into_scalar();
    assert_eq!(sum, 10.0);
}
