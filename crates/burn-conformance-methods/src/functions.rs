use super::calls::{Named, calls};
use crate::arguments::T;
use crate::finish::Finish;
use burn_backend::dynamic::Dynamic;
use burn_tensor::{DynTensor, Int, OneHot, Tensor, Transaction};

/// Calls of functions that fix the rank, or take tensors of all kinds.
pub fn calls() -> &'static [Named] {
    calls! { a;
        "dot" a.float::<1>().try_dot(a.float());
        "dot" a.int::<1>().try_dot(a.int());
        "eye" T::<2>::try_eye(a.size(), a.device);
        "eye" T::<2, Int>::try_eye(a.size(), a.device);
        "linspace" T::<1>::try_linspace(a.fraction(), a.fraction(), a.size(), a.device);
        "logspace" T::<1>::try_logspace(a.fraction(), a.fraction(), a.size(), a.fraction(), a.device);
        "one_hot" T::<1>::try_one_hot(a.size(), a.size(), a.device);
        "one_hot" OneHot::try_one_hot::<2>(a.float::<1>(), a.size());
        "arange" T::<1, Int>::try_arange(a.range(), a.device);
        "arange_step" T::<1, Int>::try_arange_step(a.range(), a.size(), a.device);
        "randperm" T::<1, Int>::try_randperm(a.size(), a.device);
        "execute" Transaction::<Dynamic>::default().register(a.float::<2>()).register(a.bool::<3>()).try_execute();
        "try_from" Tensor::<Dynamic, 2>::try_from(DynTensor::from_handle(a.float::<3>().into_handle()));
        "try_from" Tensor::<Dynamic, 2, Int>::try_from(DynTensor::from_handle(a.int::<2>().into_handle()));
    }
}
