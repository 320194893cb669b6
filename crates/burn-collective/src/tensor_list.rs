//! Collectives of lists of tensors: one call for all elements of a dtype.

use crate::all_reduce::{reduce_to_all, sum_pairs_to_all};
use crate::broadcast::from_root;
use crate::differentiable::read;
use crate::frame::CallFields;
use crate::group::CollectiveCall;
use crate::group::Group;
use crate::{CollectiveError, Communicator, Reduction};
use burn_backend::Backend;
use burn_backend::dynamic::DynamicTensor;
use burn_ir::{DType, TensorData};
use burn_tensor::{Numeric, Tensor, TensorKind};

/// Collective of a list, on host data.
type ListCall<'a> = &'a dyn Fn(&Group, Vec<TensorData>) -> Result<Vec<TensorData>, CollectiveError>;

impl Communicator {
    /// [`all_reduce`](Self::all_reduce) of a list, whose tensors travel together: one call in place of many
    /// small ones. Where gradients are tracked, the tensors go one by one. PyTorch:
    /// `torch.distributed.all_reduce_coalesced`.
    ///
    /// ```
    /// use burn::backend::NdArray;
    /// use burn::collective::{CollectiveError, Local, Reduction};
    /// use burn::tensor::Tensor;
    ///
    /// let results = Local::run(2, |communicator| {
    ///     let device = Default::default();
    ///     let list = vec![Tensor::<NdArray, 1>::ones([2], &device), Tensor::ones([1], &device)];
    ///     let sums = communicator.all_reduce_list(list, Reduction::Sum)?;
    ///     Ok::<_, CollectiveError>(sums.into_iter().map(|x| x.into_data().to_f64()).collect::<Vec<_>>())
    /// })?;
    /// assert_eq!(results[0], Ok(vec![vec![2.0, 2.0], vec![2.0]]));
    /// # Ok::<(), CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// As [`all_reduce`](Self::all_reduce); the lists of all ranks are equally long.
    #[doc(alias = "all_reduce_coalesced")]
    pub fn all_reduce_list<B: Backend, const D: usize, K: Numeric>(
        &self,
        tensors: Vec<Tensor<B, D, K>>,
        reduction: Reduction,
    ) -> Result<Vec<Tensor<B, D, K>>, CollectiveError> {
        if tensors.first().is_some_and(|x| B::tracks_gradients(&x.device())) {
            return tensors.into_iter().map(|x| self.all_reduce(x, reduction)).collect();
        }
        self.move_list(tensors, "all_reduce_list", &|group, list| group.all_reduce_list(list, reduction))
    }

    /// [`broadcast`](Self::broadcast) of a list, whose tensors travel together. Where gradients are tracked,
    /// the tensors go one by one. PyTorch: `torch.distributed.broadcast_coalesced`.
    ///
    /// # Errors
    /// As [`broadcast`](Self::broadcast); the lists of all ranks are equally long.
    #[doc(alias = "broadcast_coalesced")]
    pub fn broadcast_list<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensors: Vec<Tensor<B, D, K>>,
        root: usize,
    ) -> Result<Vec<Tensor<B, D, K>>, CollectiveError> {
        if tensors.first().is_some_and(|x| B::tracks_gradients(&x.device())) {
            return tensors.into_iter().map(|x| self.broadcast(x, root)).collect();
        }
        self.move_list(tensors, "broadcast_list", &|group, list| group.broadcast_list(list, root))
    }

    /// [`all_gather`](Self::all_gather) of a list, whose tensors travel together. Where gradients are tracked,
    /// the tensors go one by one. PyTorch: `torch.distributed.all_gather_into_tensor_coalesced`.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather); the lists of all ranks are equally long.
    #[doc(alias = "all_gather_into_tensor_coalesced")]
    pub fn all_gather_list<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensors: Vec<Tensor<B, D, K>>,
        dim: usize,
    ) -> Result<Vec<Tensor<B, D, K>>, CollectiveError> {
        if tensors.first().is_some_and(|x| B::tracks_gradients(&x.device())) {
            return tensors.into_iter().map(|x| self.all_gather(x, dim)).collect();
        }
        self.move_list(tensors, "all_gather_list", &|group, list| group.all_gather_list(list, dim))
    }

    /// [`reduce_scatter`](Self::reduce_scatter) of a list, whose tensors travel together. Where gradients are
    /// tracked, the tensors go one by one. PyTorch: `torch.distributed.reduce_scatter_tensor_coalesced`.
    ///
    /// # Errors
    /// As [`reduce_scatter`](Self::reduce_scatter); the lists of all ranks are equally long.
    #[doc(alias = "reduce_scatter_tensor_coalesced")]
    pub fn reduce_scatter_list<B: Backend, const D: usize, K: Numeric>(
        &self,
        tensors: Vec<Tensor<B, D, K>>,
        dim: usize,
        reduction: Reduction,
    ) -> Result<Vec<Tensor<B, D, K>>, CollectiveError> {
        if tensors.first().is_some_and(|x| B::tracks_gradients(&x.device())) {
            return tensors.into_iter().map(|x| self.reduce_scatter(x, dim, reduction)).collect();
        }
        self.move_list(tensors, "reduce_scatter_list", &|group, list| {
            group.reduce_scatter_list(list, dim, reduction)
        })
    }

    fn move_list<B: Backend, const D: usize, K: TensorKind>(
        &self,
        tensors: Vec<Tensor<B, D, K>>,
        operation: &str,
        call: ListCall,
    ) -> Result<Vec<Tensor<B, D, K>>, CollectiveError> {
        let devices: Vec<B::Device> = tensors.iter().map(Tensor::device).collect();
        let handles = tensors.into_iter().map(|x| DynamicTensor::new::<B>(x.into_handle())).collect();
        let results = move_handles(self, handles, operation, call)?;
        let place = |(data, device)| Tensor::from_handle(B::from_data(data, &device));
        Ok(results.into_iter().zip(devices).map(place).collect())
    }
}

fn move_handles(
    communicator: &Communicator,
    tensors: Vec<DynamicTensor>,
    operation: &str,
    call: ListCall,
) -> Result<Vec<TensorData>, CollectiveError> {
    let group = communicator.idle_group();
    let list: Result<Vec<TensorData>, _> = tensors.into_iter().map(|x| read(group, operation, x)).collect();
    call(group, list?)
}

/// Fields of a call with lists of equal specs on all ranks.
pub fn list_fields(operation: &str, list: &[TensorData]) -> CallFields {
    let specs: Vec<String> = list.iter().map(|data| format!("{} {:?}", data.dtype, data.shape)).collect();
    CallFields::new(operation).with("length", list.len()).with("shapes", specs.join(", "))
}

/// Indices of the tensors of each dtype, in the order in which the dtypes come first.
pub fn by_dtype(list: &[TensorData]) -> Vec<(DType, Vec<usize>)> {
    let mut groups: Vec<(DType, Vec<usize>)> = Vec::new();
    for (index, data) in list.iter().enumerate() {
        match groups.iter_mut().find(|(dtype, _)| *dtype == data.dtype) {
            Some((_, indices)) => indices.push(index),
            None => groups.push((data.dtype, vec![index])),
        }
    }
    groups
}

/// Runs a collective on all elements of a dtype at once, and puts the results where the elements were.
fn coalesced(
    call: &CollectiveCall,
    mut list: Vec<TensorData>,
    run: impl Fn(TensorData) -> Result<TensorData, CollectiveError>,
) -> Result<Vec<TensorData>, CollectiveError> {
    for (dtype, indices) in by_dtype(&list) {
        let count = indices.iter().map(|index| list[*index].num_elements()).sum::<usize>();
        let mut flat = call.zeroed([count].into(), dtype)?;
        let mut rest = flat.as_mut_bytes();
        for index in &indices {
            let bytes = list[*index].as_bytes();
            let (here, behind) = rest.split_at_mut(bytes.len());
            here.copy_from_slice(bytes);
            rest = behind;
        }
        let flat = run(flat)?;
        let mut rest = flat.as_bytes();
        for index in indices {
            let to = list[index].as_mut_bytes();
            let (here, behind) = rest.split_at(to.len());
            to.copy_from_slice(here);
            rest = behind;
        }
    }
    Ok(list)
}

impl Group {
    pub fn all_reduce_list(
        &self,
        list: Vec<TensorData>,
        reduction: Reduction,
    ) -> Result<Vec<TensorData>, CollectiveError> {
        const NAME: &str = "all_reduce_list";
        let fields = if list.iter().any(|data| data.dtype == DType::Bool) {
            Err(self.argument(NAME, "dtype", "float or int dtypes", "bool"))
        } else {
            Ok(list_fields(NAME, &list).with("reduction", reduction))
        };
        self.call(NAME, fields, |call| coalesced(call, list, |flat| reduce_to_all(call, flat, reduction)))
    }

    /// Sums the lists of all ranks, a power of two: neighbours, then pairs of neighbours, and so on.
    pub fn all_reduce_list_in_pairs(
        &self,
        list: Vec<TensorData>,
    ) -> Result<Vec<TensorData>, CollectiveError> {
        const NAME: &str = "all_reduce_list_in_pairs";
        let fields = Ok(list_fields(NAME, &list));
        self.call(NAME, fields, |call| coalesced(call, list, |flat| sum_pairs_to_all(call, flat)))
    }

    pub fn broadcast_list(
        &self,
        list: Vec<TensorData>,
        root: usize,
    ) -> Result<Vec<TensorData>, CollectiveError> {
        const NAME: &str = "broadcast_list";
        let fields = self.check_root(NAME, root).map(|()| list_fields(NAME, &list).with("root", root));
        self.call(NAME, fields, |call| coalesced(call, list, |flat| from_root(call, flat, root)))
    }
}
