//! TC: the tensor type, data on the host, creation, ownership.

use crate::expect::{exactly, nearly, panics};
use crate::given::{B, CPU, float, int};
use burn::backend::NdArray;
use burn::backend::ndarray::NdArrayDevice;
use burn::tensor::backend::Backend;
use burn::tensor::{
    Bool, DType, Distribution, Element, ElementConversion, Float, HasSpec, Int, Shape, Tensor, TensorData,
    TensorPrimitive,
};

#[test]
fn tc_001_tensor_data_shows_shape_dtype_and_elements() {
    let mut data = TensorData::new(vec![1.0_f32, 2.0, 3.0, 4.0], [2, 2]);
    assert_eq!(data.shape, Shape::new([2, 2]));
    assert_eq!(data.dtype, DType::F32);
    assert_eq!(data.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    data.as_mut_slice::<f32>().unwrap()[3] = 9.0;
    assert_eq!(data.to_vec::<f32>().unwrap(), [1.0, 2.0, 3.0, 9.0]);
    assert_eq!(data.iter::<f64>().collect::<Vec<_>>(), [1.0, 2.0, 3.0, 9.0]);
    assert!(data.as_slice::<f64>().is_err(), "reading never reinterprets");
}

#[test]
fn tc_002_tensor_data_from_arrays_slices_and_vectors() {
    let array = [5, 6, 7, 8];
    assert_eq!(TensorData::from(array).shape, Shape::new([4]));
    assert_eq!(TensorData::from([1_i32, 2]).dtype, DType::I32);
    assert_eq!(TensorData::from(&array[0..3]).to_vec::<i32>().unwrap(), [5, 6, 7]);
    assert_eq!(TensorData::from(vec![1.5_f64, 2.5]).to_vec::<f64>().unwrap(), [1.5, 2.5]);
    let mut image = [[0.0_f32; 28]; 28];
    image[1][2] = 7.0;
    let data = TensorData::from(image);
    assert_eq!(data.shape, Shape::new([28, 28]));
    assert_eq!(data.as_slice::<f32>().unwrap()[28 + 2], 7.0, "rows follow each other");
    assert_eq!(TensorData::from([[[1_u8, 2]], [[3, 4]]]).shape, Shape::new([2, 1, 2]));
}

#[test]
fn tc_003_convert_changes_the_element_type() {
    let data = TensorData::from([1.9_f64, -1.9, 300.0]).convert::<i32>();
    assert_eq!(data.dtype, DType::I32);
    assert_eq!(data.to_vec::<i32>().unwrap(), [1, -1, 300]);
    assert_eq!(TensorData::from([0, 2]).convert::<bool>().to_vec::<bool>().unwrap(), [false, true]);
}

#[test]
fn tc_004_tensor_data_prints_its_values() {
    let x = float::<1>([2.0, 4.0, 6.0, 8.0]);
    let (low, high) = (x.clone().min(), x.clone().max());
    let scaled = (x - low.clone()) / (high - low);
    assert_eq!(scaled.to_data().to_string(), "[0.0, 0.33333334, 0.6666667, 1.0]");
}

#[test]
fn tc_005_tensor_data_has_a_debug_form() {
    let text = format!("{:?}", TensorData::from([[1_i64, 2]]));
    assert!(text.contains("[1, 2]") && text.contains("i64"), "{text}");
}

#[test]
fn tc_006_rank_and_kind_are_in_the_type() {
    let x: Tensor<B, 2> = Tensor::<B, 2, Float>::from_data([[1.0, 2.0]], CPU);
    let flags: Tensor<B, 2, Bool> = x.clone().greater_elem(1.5);
    let indices: Tensor<B, 2, Int> = x.clone().argmax(1);
    assert_eq!((x.dims(), flags.dims(), indices.dims()), ([1, 2], [1, 2], [1, 1]));
}

#[test]
fn tc_006_the_shape_is_checked_at_run_time() {
    let message = panics(|| float::<2>([1.0, 2.0]));
    assert!(message.contains("[2]") && message.contains("rank 1") && message.contains("rank 2"), "{message}");
}

#[test]
fn tc_007_element_types_come_from_the_backend() {
    fn sum<B: Backend>(values: [f64; 2], device: &B::Device) -> B::FloatElem {
        Tensor::<B, 1>::from_data(values, device).sum().into_scalar()
    }
    let narrow: f32 = sum::<NdArray>([0.5, 0.25], CPU);
    let wide: f64 = sum::<NdArray<f64>>([0.1, 0.2], CPU);
    assert_eq!((narrow, wide), (0.75, 0.1 + 0.2));
    assert_eq!(<NdArray<f64> as Backend>::FloatElem::DTYPE, DType::F64);
    let count: <NdArray as Backend>::IntElem = int::<1>([7]).into_scalar();
    assert_eq!(count, 7);
}

#[test]
fn tc_008_from_data_converts_to_the_type_of_the_backend() {
    let x = Tensor::<B, 1>::from_data(TensorData::from([1_u8, 2]), CPU);
    assert_eq!(x.dtype(), DType::F32);
    exactly(x, [1.0, 2.0]);
    let x = Tensor::<B, 1, Int>::from_data(TensorData::from([0_i32, 1, 2, 1]), CPU);
    assert_eq!(x.dtype(), <<B as Backend>::IntElem as Element>::DTYPE);
    exactly(x, [0, 1, 2, 1]);
}

#[test]
fn tc_009_nested_literals_make_matrices_on_any_backend() {
    fn matrix<B: Backend>(device: &B::Device) -> Tensor<B, 2> {
        Tensor::from_data([[1.0, 2.0], [3.0, 4.0]], device)
    }
    let concrete = Tensor::<NdArray, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], CPU);
    assert_eq!(concrete.to_data(), TensorData::from([[1.0_f32, 2.0], [3.0, 4.0]]));
    assert_eq!(matrix::<NdArray>(CPU).into_data(), TensorData::from([[1.0_f32, 2.0], [3.0, 4.0]]));
    assert_eq!(matrix::<NdArray<f64>>(CPU).into_data(), TensorData::from([[1.0_f64, 2.0], [3.0, 4.0]]));
}

#[test]
fn tc_010_from_floats() {
    let x = Tensor::<B, 2>::from_floats([[0.5, -1.5]], CPU);
    assert_eq!(x.into_data(), TensorData::from([[0.5_f32, -1.5]]));
}

#[test]
fn tc_011_from_ints() {
    exactly(Tensor::<B, 1, Int>::from_ints([3, -4], CPU), [3, -4]);
}

#[test]
fn tc_012_empty_has_the_shape_asked_for() {
    assert_eq!(Tensor::<B, 3>::empty([2, 0, 3], CPU).dims(), [2, 0, 3]);
    assert_eq!(Tensor::<B, 2, Bool>::empty([2, 3], CPU).dims(), [2, 3]);
}

#[test]
fn tc_013_zeros() {
    exactly(Tensor::<B, 2>::zeros([2, 2], CPU), [[0.0, 0.0], [0.0, 0.0]]);
    exactly(Tensor::<B, 1, Int>::zeros([2], CPU), [0, 0]);
    exactly(Tensor::<B, 1>::zeros(Shape::new([2]), CPU), [0.0, 0.0]);
}

#[test]
fn tc_014_ones() {
    exactly(Tensor::<B, 2>::ones([1, 3], CPU), [[1.0, 1.0, 1.0]]);
    exactly(Tensor::<B, 1, Int>::ones([2], CPU), [1, 1]);
}

#[test]
fn tc_015_full() {
    exactly(Tensor::<B, 2>::full([2, 1], 2.5, CPU), [[2.5], [2.5]]);
    exactly(Tensor::<B, 1, Int>::full([2], 7, CPU), [7, 7]);
    exactly(Tensor::<B, 1, Bool>::full([2], true, CPU), [true, true]);
}

#[test]
fn tc_016_zeros_like_and_ones_like() {
    let x = float::<2>([[4.0, 5.0]]);
    exactly(Tensor::zeros_like(&x), [[0.0, 0.0]]);
    exactly(Tensor::ones_like(&x), [[1.0, 1.0]]);
    exactly(x.zeros_like(), [[0.0, 0.0]]);
    exactly(int::<1>([3]).ones_like(), [1]);
}

#[test]
fn tc_017_full_like() {
    exactly(float::<2>([[4.0], [5.0]]).full_like(0.5), [[0.5], [0.5]]);
    exactly(int::<1>([3]).full_like(-2), [-2]);
}

/// Mean and variance.
fn moments(x: Tensor<B, 1>) -> (f64, f64) {
    let values: Vec<f64> = x.into_data().iter().collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0))
}

#[test]
fn tc_018_random_draws_a_tensor_of_the_shape() {
    B::seed(1);
    let x = Tensor::<B, 2>::random([4, 25], Distribution::Default, CPU);
    let values: Vec<f64> = x.to_data().iter().collect();
    assert_eq!(x.dims(), [4, 25]);
    assert!(values.iter().all(|x| (0.0..1.0).contains(x)));
    assert!(values.windows(2).any(|pair| pair[0] != pair[1]), "draws differ");
}

#[test]
fn tc_019_distributions_have_the_moments_of_their_formulas() {
    B::seed(2);
    const COUNT: usize = 20_000;
    let draw = |distribution| moments(Tensor::<B, 1>::random([COUNT], distribution, CPU));
    // Mean and variance of each law; the bounds are five standard errors.
    let cases = [
        (Distribution::Default, 0.5, 1.0 / 12.0),
        (Distribution::Uniform(-2.0, 4.0), 1.0, 3.0),
        (Distribution::Normal(1.5, 2.0), 1.5, 4.0),
        (Distribution::Bernoulli(0.3), 0.3, 0.21),
    ];
    for (distribution, mean, variance) in cases {
        let (found_mean, found_variance) = draw(distribution);
        let error = 5.0 * f64::sqrt(variance / COUNT as f64);
        assert!((found_mean - mean).abs() < error, "{distribution:?}: mean {found_mean}");
        assert!(
            (found_variance / variance - 1.0).abs() < 0.06,
            "{distribution:?}: variance {found_variance}"
        );
    }
    let flags = Tensor::<B, 1>::random([100], Distribution::Bernoulli(0.5), CPU).into_data();
    assert!(flags.iter::<f64>().all(|x| x == 0.0 || x == 1.0));
    let range = Tensor::<B, 1>::random([1000], Distribution::Uniform(-2.0, 4.0), CPU).into_data();
    assert!(range.iter::<f64>().all(|x| (-2.0..4.0).contains(&x)));
}

#[test]
fn tc_020_random_like_has_the_shape_of_another() {
    B::seed(3);
    let x = float::<2>([[0.0; 3]; 2]).random_like(Distribution::Uniform(5.0, 6.0));
    assert_eq!(x.dims(), [2, 3]);
    assert!(x.into_data().iter::<f64>().all(|x| (5.0..6.0).contains(&x)));
}

#[test]
fn tc_021_int_random_draws_integers() {
    B::seed(4);
    let x = Tensor::<B, 1, Int>::int_random([500], Distribution::Uniform(0.0, 10.0), CPU);
    let mut values: Vec<i64> = x.into_data().iter().collect();
    values.sort_unstable();
    values.dedup();
    assert_eq!(values, (0..10).collect::<Vec<_>>(), "each of ten values comes up in 500 draws");
    let x = Tensor::<B, 2, Int>::random([2, 3], Distribution::Uniform(0.0, 2.0), CPU);
    assert_eq!(x.dims(), [2, 3]);
}

#[test]
fn tc_022_arange_counts() {
    exactly(Tensor::<B, 1, Int>::arange(5..10, CPU), [5, 6, 7, 8, 9]);
    exactly(Tensor::<B, 1, Int>::arange_step(5..10, 2, CPU), [5, 7, 9]);
    exactly(Tensor::<B, 1, Int>::arange(-1..2, CPU), [-1, 0, 1]);
    assert_eq!(Tensor::<B, 1, Int>::arange(3..3, CPU).dims(), [0]);
}

#[test]
fn tc_023_eye_is_the_identity() {
    exactly(Tensor::<B, 2>::eye(3, CPU), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
}

#[test]
fn tc_024_cartesian_grid_lists_every_index() {
    let grid = Tensor::<B, 3, Int>::cartesian_grid([2, 3], CPU);
    // The flat indices in row-major order, one pair for each cell.
    assert_eq!(grid.dims(), [2, 3, 2]);
    exactly(grid, [[[0, 0], [0, 1], [0, 2]], [[1, 0], [1, 1], [1, 2]]]);
}

#[test]
fn tc_025_primitives_go_out_and_come_back() {
    let primitive = float::<2>([[1.0, 2.0]]).into_primitive();
    assert!(matches!(primitive, TensorPrimitive::Float(_)));
    let inner = primitive.clone().tensor();
    assert_eq!(inner.shape(), Shape::new([1, 2]), "the rank is known at run time only");
    exactly(Tensor::<B, 2>::from_primitive(TensorPrimitive::Float(inner)), [[1.0, 2.0]]);
    exactly(Tensor::<B, 1, Int>::from_primitive(int::<1>([3]).into_primitive()), [3]);
}

#[test]
fn tc_026_into_data_moves_and_to_data_copies() {
    let x = float::<1>([1.0, 2.0]);
    let mut copy = x.to_data();
    copy.as_mut_slice::<f32>().unwrap()[0] = 9.0;
    assert_eq!(x.into_data(), TensorData::from([1.0_f32, 2.0]), "the tensor does not see the change");
}

#[test]
fn tc_027_into_scalar_is_the_only_element() {
    let loss: f32 = float::<2>([[2.5]]).into_scalar();
    assert_eq!(loss, 2.5);
    assert_eq!(int::<1>([41]).into_scalar().elem::<f32>(), 41.0);
    assert!(float::<1>([1.0]).greater_elem(0).into_scalar());
}

#[test]
fn tc_027_into_scalar_of_several_elements_counts_them() {
    let message = panics(|| float::<2>([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).into_scalar());
    assert!(
        message.contains("into_scalar") && message.contains('6') && message.contains("[2, 3]"),
        "{message}"
    );
}

#[test]
fn tc_028_elem_converts_numbers() {
    assert_eq!(2.75_f64.elem::<f32>(), 2.75);
    assert_eq!((-2.75_f32).elem::<i64>(), -2);
    assert_eq!(3_u8.elem::<f64>(), 3.0);
    assert_eq!(f64::NAN.elem::<i32>(), 0);
}

#[test]
fn tc_029_shape_and_dims() {
    let x = Tensor::<B, 3>::zeros([2, 3, 4], CPU);
    let [batch, height, width] = x.dims();
    assert_eq!((batch, height, width), (2, 3, 4));
    let shape: Shape = x.shape();
    assert_eq!((shape.num_dims(), shape.num_elements(), shape.dims[2]), (3, 24, 4));
}

#[test]
fn tc_030_shapes_have_no_rank_in_their_type() {
    let shapes: [Shape; 2] = [Shape::new([2, 3]), Shape::from(vec![4, 5, 6])];
    assert_eq!((shapes[0].dims[1], shapes[1].dims[0]), (3, 4));
    assert_eq!(Shape::from(vec![2, 3]), Shape::new([2, 3]));
}

#[test]
fn tc_031_a_tensor_knows_its_device() {
    let x = float::<1>([1.0]);
    assert_eq!(x.device(), NdArrayDevice::Cpu);
    let moved = x.to_device(&NdArrayDevice::Cpu);
    exactly(moved, [1.0]);
}

#[test]
fn tc_032_a_clone_shares_the_elements() {
    let x = Tensor::<B, 1>::ones([1 << 16], CPU);
    let copy = x.clone();
    assert_eq!(address(&x), address(&copy));
}

#[test]
fn tc_032_operations_write_over_what_nobody_else_holds() {
    let x = Tensor::<B, 1>::ones([1000], CPU);
    let before = address(&x);
    let y = (x + 1.0).exp();
    assert_eq!(address(&y), before);
    let unit = Tensor::<B, 1>::ones([1000], CPU);
    let z = y * unit;
    assert_eq!(address(&z), before);
}

#[test]
fn tc_032_operations_leave_clones_alone() {
    let x = float::<2>([[1.0, -2.0], [3.0, -4.0]]);
    let expected = x.to_data();
    type Use = Box<dyn Fn(Tensor<B, 2>) -> Tensor<B, 2>>;
    let uses: Vec<(&str, Use)> = vec![
        ("neg", Box::new(|x| -x)),
        ("abs", Box::new(|x| x.abs())),
        ("exp", Box::new(|x| x.exp())),
        ("add", Box::new(|x: Tensor<B, 2>| x.clone() + x)),
        ("add_scalar", Box::new(|x| x + 1)),
        ("clamp", Box::new(|x| x.clamp(0, 1))),
        ("matmul", Box::new(|x: Tensor<B, 2>| x.clone().matmul(x))),
        ("transpose", Box::new(|x| x.transpose() + 1)),
        ("slice_assign", Box::new(|x| x.slice_assign([0..1, 0..2], float([[9.0, 9.0]])))),
        ("mask_fill", Box::new(|x: Tensor<B, 2>| x.clone().mask_fill(x.lower_elem(0), 9.0))),
        ("sort", Box::new(|x| x.sort(1))),
        ("flip", Box::new(|x| x.flip([0]))),
        ("select_assign", Box::new(|x| x.select_assign(0, int([1]), float([[9.0, 9.0]])))),
        ("scatter", Box::new(|x| x.scatter(0, int([[1, 1]]), float([[9.0, 9.0]])))),
        ("softmax", Box::new(|x| burn::tensor::activation::softmax(x, 1))),
    ];
    for (name, operation) in uses {
        let _ = operation(x.clone());
        assert_eq!(x.to_data(), expected, "{name} wrote over a tensor that is still in use");
    }
}

fn address(x: &Tensor<B, 1>) -> usize {
    x.handle().address()
}

#[test]
fn tc_033_shapes_broadcast() {
    let column = float::<2>([[1.0], [2.0]]);
    let row = float::<2>([[10.0, 20.0, 30.0]]);
    exactly(column.clone() + row.clone(), [[11.0, 21.0, 31.0], [12.0, 22.0, 32.0]]);
    exactly(column.clone().greater(row.clone() / 10), [[false; 3], [true, false, false]]);
    nearly(row.powf(column), [[10.0, 20.0, 30.0], [100.0, 400.0, 900.0]]);
}

#[test]
fn tc_035_numbers_of_any_type_stand_beside_a_tensor() {
    let x = float::<1>([2.0, 4.0]);
    exactly(x.clone() + 1.0, [3.0, 5.0]);
    exactly(x.clone() * 2.0_f32, [4.0, 8.0]);
    nearly(x.clone() / 255, [2.0 / 255.0, 4.0 / 255.0]);
    exactly(x.clone() + 5, [7.0, 9.0]);
    exactly(x - 1_u8, [1.0, 3.0]);
    exactly(int::<1>([7, 8]) + 1, [8, 9]);
    exactly(1.0 - float::<1>([0.25]), [0.75]);
}

#[test]
fn tc_036_tensors_cross_threads() {
    fn is_send<T: Send>(_: &T) {}
    let x = float::<1>([1.0, 2.0]);
    is_send(&x);
    let sum: f32 = std::thread::spawn(move || x.sum().into_scalar()).join().unwrap();
    assert_eq!(sum, 3.0);
}
