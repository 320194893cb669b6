//! Neighbouring elements at once: loads and stores as wide as the device has them, of which each element is
//! computed with alone.

use super::step::Steps;
use super::value::KernelValue;
use crate::device::engine::Engine;
use crate::launch::element::{storage, stored_size};
use crate::launch::strides::Merged;
use burn_backend::DType;
use cubecl::ir::{Instruction, ManagedVariable, Operator, Type, VectorInitOperator};
use cubecl::prelude::*;

cubecl::define_scalar!(N);
cubecl::define_size!(W);

/// Elements from which it pays: smaller tensors want units, and fewer kinds of kernels.
const ENOUGH: usize = 1 << 12;

/// Layout of the elements of one vector in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inner {
    Adjacent,
    /// One element for all.
    Repeated,
    /// Strided: each element is loaded separately.
    Apart,
}

impl Inner {
    pub fn of(strides: &[usize]) -> Self {
        match strides.first() {
            Some(1) => Inner::Adjacent,
            None | Some(0) => Inner::Repeated,
            Some(_) => Inner::Apart,
        }
    }
}

/// Elements that a unit loads at once of views with these dimensions, the innermost first, and these first
/// elements: 1 where not all of them are in whole vectors, or it does not pay.
pub fn width(
    engine: &dyn Engine,
    dtypes: impl Iterator<Item = DType>,
    merged: &Merged,
    offsets: &[usize],
) -> usize {
    let is_small = merged.sizes.iter().product::<usize>() < ENOUGH;
    if is_small { 1 } else { widest(engine, dtypes, merged, offsets) }
}

/// As [`width`], also for a few elements.
pub fn widest(
    engine: &dyn Engine,
    dtypes: impl Iterator<Item = DType>,
    merged: &Merged,
    offsets: &[usize],
) -> usize {
    let bytes = dtypes.map(stored_size).max().unwrap_or(4);
    let fits = |width: usize| {
        let whole = |(strides, offset): (&Vec<usize>, &usize)| match Inner::of(strides) {
            Inner::Repeated => true,
            Inner::Apart => false,
            Inner::Adjacent => strides[1..].iter().chain([offset]).all(|step| step % width == 0),
        };
        merged.sizes.first().is_some_and(|size| size % width == 0)
            && merged.strides.iter().zip(offsets).all(whole)
    };
    let widest = engine.widest_load(bytes);
    std::iter::successors(Some(widest), |width| Some(width / 2))
        .take_while(|&width| width > 1)
        .find(|&width| fits(width))
        .unwrap_or(1)
}

/// The sizes of views in vectors of so many elements.
pub fn sizes(merged: &Merged, width: usize) -> Vec<usize> {
    let inner = merged.sizes.first().map(|size| size / width);
    inner.into_iter().chain(merged.sizes.iter().skip(1).copied()).collect()
}

/// The strides of a view and its first element: in vectors, where its elements are adjacent.
pub fn places(strides: &[usize], offset: usize, width: usize) -> (Vec<usize>, usize) {
    // Numbers below zero are wrapped; only their low words are used, in which a power of two divides them
    // too.
    match Inner::of(strides) {
        Inner::Adjacent => {
            let outer = strides[1..].iter().map(|stride| stride / width);
            ([1].into_iter().chain(outer).collect(), offset / width)
        }
        Inner::Repeated | Inner::Apart => (strides.to_vec(), offset),
    }
}

impl Steps<'_> {
    /// `width` elements of array `list`, whose elements are vectors of so many, at `index`.
    pub fn load_vector(
        &mut self,
        list: &ManagedVariable,
        dtype: DType,
        index: NativeExpand<u32>,
        width: usize,
    ) -> Vec<KernelValue> {
        #[cube]
        fn read<N: Numeric, W: Size>(list: &Array<Vector<N, W>>, index: u32) -> Vector<N, W> {
            list[index as usize]
        }
        #[cube]
        fn part<N: Numeric, W: Size>(vector: Vector<N, W>, #[comptime] at: usize) -> N {
            vector[at]
        }
        if width == 1 {
            return vec![self.load(list, dtype, index)];
        }
        self.scope.register_type::<N>(storage(dtype));
        self.scope.register_size::<W>(width);
        let vector = read::expand::<N, W>(self.scope, list.clone().into(), index);
        let parts: Vec<ManagedVariable> =
            (0..width).map(|at| part::expand::<N, W>(self.scope, vector.clone(), at).into()).collect();
        parts.into_iter().map(|part| self.loaded(part, dtype)).collect()
    }

    /// Writes as many elements as there are values.
    pub fn store_vector(&mut self, list: &ManagedVariable, index: NativeExpand<u32>, values: &[KernelValue]) {
        #[cube]
        fn write<N: Numeric, W: Size>(list: &mut Array<Vector<N, W>>, index: u32, value: Vector<N, W>) {
            list[index as usize] = value;
        }
        if let [value] = values {
            return self.store(list, index, value);
        }
        let ty = storage(values[0].dtype);
        let parts: Vec<ManagedVariable> = values.iter().map(|value| self.stored(value)).collect();
        let vector = self.scope.create_local(Type::new(ty).with_vector_size(values.len()));
        let inputs = parts.iter().map(|part| **part).collect();
        self.scope.register(Instruction::new(Operator::InitVector(VectorInitOperator { inputs }), *vector));
        self.scope.register_type::<N>(ty);
        self.scope.register_size::<W>(values.len());
        write::expand::<N, W>(self.scope, list.clone().into(), index, vector.into());
    }
}
