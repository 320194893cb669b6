//! BK-017: the element types of a backend, as bounds.

use crate::expect::exactly;
use burn::backend::NdArray;
use burn::backend::ndarray::NdArrayElement;
use burn::tensor::Tensor;

trait Doubled {
    fn doubled(self) -> Self;
}

/// An extension of one backend, whatever its elements.
impl<E: NdArrayElement> Doubled for Tensor<NdArray<E>, 1> {
    fn doubled(self) -> Self {
        self * 2.0
    }
}

fn name<E: NdArrayElement>() -> &'static str {
    E::type_name()
}

#[test]
fn bk_017_an_element_of_ndarray_is_a_bound() {
    exactly(Tensor::<NdArray<f64>, 1>::from([1.5]).doubled(), [3.0]);
    exactly(Tensor::<NdArray<f32>, 1>::from([2.0]).doubled(), [4.0]);
    assert_eq!([name::<f32>(), name::<f64>(), name::<i32>()], ["f32", "f64", "i32"]);
}
