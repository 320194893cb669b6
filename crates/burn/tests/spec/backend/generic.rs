//! BK: what programs that are generic over backends rely on.

use crate::expect::{exactly, nearly};
use crate::given::CPU;
use burn::backend::ndarray::NdArrayDevice;
use burn::backend::{Autodiff, Fusion, NdArray};
use burn::tensor::backend::Backend;
use burn::tensor::ops::{BoolTensor, FloatTensor, IntTensor};
use burn::tensor::{
    DType, Distribution, Element, ElementConversion, FloatElement, HasSpec, Int, IntElement, Shape, Tensor,
    TensorPrimitive,
};
use burn_conformance::again::again;

#[test]
fn bk_001_the_cpu_backend_computes_in_f32_unless_told_otherwise() {
    fn dtypes<B: Backend>() -> [DType; 2] {
        let ones = Tensor::<B, 1>::ones([2], &B::Device::default());
        [ones.dtype(), (ones * 2).exp().dtype()]
    }
    assert_eq!(dtypes::<NdArray>(), [DType::F32; 2]);
    assert_eq!(dtypes::<NdArray<f64>>(), [DType::F64; 2]);
    let device: burn::tensor::Device<NdArray<f64>> = Default::default();
    assert_eq!(device, NdArrayDevice::Cpu);
}

#[test]
fn bk_011_a_backend_has_devices_elements_and_a_seed() {
    // Other tests draw from the same generators, which are of the whole process.
    if again("bk_011_a_backend_has_devices_elements_and_a_seed", &[]).is_some() {
        return;
    }
    fn draw<B: Backend>(seed: u64) -> Tensor<B, 1> {
        B::seed(seed);
        Tensor::random([8], Distribution::Default, &B::Device::default())
    }
    fn elements<B: Backend>() -> (DType, DType) {
        (B::FloatElem::DTYPE, B::IntElem::DTYPE)
    }
    let first = draw::<NdArray>(42).into_data();
    assert_eq!(draw::<NdArray>(42).into_data(), first, "a seed fixes what is drawn");
    assert_ne!(draw::<NdArray>(43).into_data(), first);
    assert_eq!(draw::<Autodiff<NdArray>>(42).into_data(), first, "decorators draw the same");
    assert_eq!(elements::<NdArray<f64, i32>>(), (DType::F64, DType::I32));
    assert_eq!(elements::<Autodiff<NdArray<f64, i32>>>(), (DType::F64, DType::I32));
    // Eager: the value is there when the call returns, whatever happens later.
    assert_eq!(NdArrayDevice::default(), NdArrayDevice::Cpu);
}

/// Everything here goes through names of functions of `B`.
fn layer<B: Backend>(x: FloatTensor<B>, w: FloatTensor<B>) -> (FloatTensor<B>, Shape) {
    let product = B::float_matmul(x, B::float_transpose(w));
    let output = B::relu(product);
    let shape = B::float_shape(&output);
    (output, shape)
}

fn primitive<B: Backend, const D: usize>(x: Tensor<B, D>) -> FloatTensor<B> {
    x.into_primitive().tensor()
}

fn tensor<B: Backend, const D: usize>(x: FloatTensor<B>) -> Tensor<B, D> {
    Tensor::from_primitive(TensorPrimitive::Float(x))
}

#[test]
fn bk_012_functions_of_the_backend_by_name() {
    fn check<B: Backend>(device: &B::Device) {
        let x = Tensor::<B, 2>::from_data([[1.0, 2.0]], device);
        let w = Tensor::<B, 2>::from_data([[3.0, 4.0], [-5.0, 1.0]], device);
        let (output, shape) = layer::<B>(primitive(x), primitive(w));
        assert_eq!(shape, Shape::new([1, 2]));
        exactly(tensor::<B, 2>(output.clone()), [[11.0, 0.0]]);
        let grad = Tensor::<B, 2>::from_data([[7.0, 7.0]], device);
        exactly(tensor::<B, 2>(B::relu_backward(output, primitive(grad))), [[7.0, 0.0]]);
    }
    check::<NdArray>(CPU);
    check::<Autodiff<NdArray>>(CPU);
    check::<Fusion<NdArray>>(CPU);
}

#[test]
fn bk_013_primitives_have_aliases() {
    fn ranks<B: Backend>(float: FloatTensor<B>, int: IntTensor<B>, bool: BoolTensor<B>) -> [usize; 3] {
        [float.shape().rank(), int.shape().rank(), bool.shape().rank()]
    }
    let x = Tensor::<NdArray, 2>::ones([1, 1], CPU);
    let index = Tensor::<NdArray, 1, Int>::arange(0..2, CPU);
    let flag = index.clone().reshape([1, 1, 2]).equal_elem(0);
    assert_eq!(ranks::<NdArray>(primitive(x), index.into_primitive(), flag.into_primitive()), [2, 1, 3]);
}

/// The whole program, for whatever backend an alias names.
fn program<B: Backend>() -> Vec<f64> {
    let device = B::Device::default();
    let x = Tensor::<B, 2>::from_data([[1.0, 2.0], [3.0, 4.0]], &device);
    burn::tensor::activation::softmax(x, 1).into_data().iter().collect()
}

#[test]
fn bk_015_an_alias_switches_the_backend() {
    mod on_the_cpu {
        pub type Mine = burn::backend::NdArray;
    }
    mod with_gradients {
        pub type Mine = burn::backend::Autodiff<burn::backend::Fusion<burn::backend::NdArray<f64>>>;
    }
    // 1 / (1 + e)
    let expected = [0.2689414213699951, 0.7310585786300049];
    for values in [program::<on_the_cpu::Mine>(), program::<with_gradients::Mine>()] {
        for (value, expected) in values.iter().zip(expected.iter().cycle()) {
            assert!((value - expected).abs() < 1e-6, "{value} {expected}");
        }
    }
}

#[test]
fn bk_016_different_backends_in_one_program() {
    type Train = Autodiff<Fusion<NdArray>>;
    type Metric = NdArray<f64>;
    let x = Tensor::<Train, 1>::from_data([0.1, 0.2], CPU).require_grad();
    let loss = (x.clone() * x).sum();
    let metric = Tensor::<Metric, 1>::from_data(loss.into_data(), CPU) / 3;
    assert_eq!(metric.dtype(), DType::F64);
    nearly(metric, [0.05 / 3.0]);
}

#[test]
fn bk_017_element_traits_are_bounds() {
    fn names<F: FloatElement, I: IntElement>() -> (&'static str, &'static str) {
        (F::type_name(), I::type_name())
    }
    assert_eq!(names::<f32, i64>(), ("f32", "i64"));
    assert_eq!(names::<f64, i32>(), ("f64", "i32"));
    let tensor: burn::backend::autodiff::AutodiffTensor<NdArray> =
        Tensor::<Autodiff<NdArray>, 1>::ones([1], CPU).into_primitive().tensor();
    let inner: burn::backend::ndarray::NdTensor = tensor.primitive;
    assert_eq!(inner.dtype(), DType::F32);
}

#[test]
fn bk_019_from_elem_and_elem() {
    fn half<E: Element + ElementConversion>() -> E {
        E::from_elem(0.5_f64)
    }
    assert_eq!((half::<f32>(), half::<f64>(), half::<i32>()), (0.5, 0.5, 0));
    assert_eq!(f32::from_elem(3_i64), 3.0);
    assert_eq!(7_u8.elem::<f64>(), 7.0);
    assert_eq!(1.0_f32.elem::<i64>(), 1);
}
