//! The outputs of a layer: a tensor of any kind, or several.

use burn::tensor::{AutodiffBackend, Bool, Int, Tensor, TensorData};

/// An output, and its part of the scalar whose gradients are compared.
pub struct Output<B: AutodiffBackend> {
    pub data: TensorData,
    pub objective: Option<Tensor<B, 1>>,
}

pub trait Outputs<B: AutodiffBackend> {
    fn outputs(self) -> Vec<Output<B>>;
}

impl<B: AutodiffBackend, const D: usize> Outputs<B> for Tensor<B, D> {
    fn outputs(self) -> Vec<Output<B>> {
        let (data, count) = (self.clone().into_data(), self.shape().num_elements());
        let weights: Vec<f64> = (0..count).map(|i| (i as f64).cos()).collect();
        let weights = Tensor::<B, 1>::from_data(TensorData::new(weights, [count]), &self.device());
        vec![Output { data, objective: Some((self.reshape([count]) * weights).sum()) }]
    }
}

impl<B: AutodiffBackend, const D: usize> Outputs<B> for Tensor<B, D, Int> {
    fn outputs(self) -> Vec<Output<B>> {
        vec![Output { data: self.into_data(), objective: None }]
    }
}

impl<B: AutodiffBackend, const D: usize> Outputs<B> for Tensor<B, D, Bool> {
    fn outputs(self) -> Vec<Output<B>> {
        vec![Output { data: self.into_data(), objective: None }]
    }
}

impl<B: AutodiffBackend, T: Outputs<B>> Outputs<B> for Vec<T> {
    fn outputs(self) -> Vec<Output<B>> {
        self.into_iter().flat_map(T::outputs).collect()
    }
}

macro_rules! tuples {
    ($($name:ident)*) => {
        impl<B: AutodiffBackend, $($name: Outputs<B>),*> Outputs<B> for ($($name,)*) {
            #[allow(non_snake_case)]
            fn outputs(self) -> Vec<Output<B>> {
                let ($($name,)*) = self;
                let mut all = Vec::new();
                $(all.extend($name.outputs());)*
                all
            }
        }
    };
}

tuples!(T U);
tuples!(T U V);
tuples!(T U V W);
