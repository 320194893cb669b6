use super::AnyRank;
use burn_backend::dynamic::{Dynamic, DynamicTensor};
use burn_tensor::{Tensor, TensorKind};

/// Results of the body of a call.
pub(crate) trait Results {
    fn handles(self) -> Vec<DynamicTensor>;
}

impl<const D: usize, K: TensorKind> Results for Tensor<Dynamic, D, K> {
    fn handles(self) -> Vec<DynamicTensor> {
        vec![self.into_handle()]
    }
}

impl<K: TensorKind> Results for AnyRank<K> {
    fn handles(self) -> Vec<DynamicTensor> {
        vec![self.into_handle()]
    }
}

impl<A: Results> Results for Vec<A> {
    fn handles(self) -> Vec<DynamicTensor> {
        self.into_iter().flat_map(Results::handles).collect()
    }
}

impl<A: Results, B: Results> Results for (A, B) {
    fn handles(self) -> Vec<DynamicTensor> {
        let mut handles = self.0.handles();
        handles.extend(self.1.handles());
        handles
    }
}

impl<A: Results, B: Results, C: Results> Results for (A, B, C) {
    fn handles(self) -> Vec<DynamicTensor> {
        let mut handles = self.0.handles();
        handles.extend(self.1.handles());
        handles.extend(self.2.handles());
        handles
    }
}
