//! Writes to positions that are named by indices.

use crate::element::Number;
use crate::index::{Places, checked, is_side_by_side, rewritten};
use crate::library::Core;
use crate::memory::in_order;
use crate::tensor::CandleTensor;
use crate::{CandleDevice, host, kernel};
use burn_backend::{DType, HasSpec, IndexUpdate, Shape};
use burn_library_backend::{Int, Kernels, with_element, with_float, with_int};
use candle_core::{Result, Tensor};

#[track_caller]
pub fn scatter(
    x: CandleTensor,
    dim: usize,
    indices: CandleTensor,
    value: CandleTensor,
    update: IndexUpdate,
) -> CandleTensor {
    let (spec, dtype, at) = (x.spec().clone(), x.dtype(), indices.shape());
    let indices = checked("scatter", indices, &spec.shape, dim);
    if at.num_elements() == 0 {
        return x;
    }
    let is_candle = match update {
        IndexUpdate::Assign => true,
        IndexUpdate::Add => dtype.is_float(),
        IndexUpdate::Multiply | IndexUpdate::Min | IndexUpdate::Max => false,
    };
    if is_candle && is_side_by_side(&spec.shape, &at, dim) {
        let write = |to: &Tensor| {
            let (indices, value) = (indices.candle(), in_order(value.candle())?);
            match update {
                IndexUpdate::Add => to.scatter_add_set(indices, &value, dim)?,
                IndexUpdate::Assign | IndexUpdate::Multiply | IndexUpdate::Min | IndexUpdate::Max => {
                    to.scatter_set(indices, &value, dim)?;
                }
            }
            Ok(to.clone())
        };
        if x.is_unique() && x.candle().is_contiguous() {
            return kernel::view("scatter", x, spec, write);
        }
        return Core::run("scatter", x.device(), spec, || write(&x.candle().force_contiguous()?));
    }
    let places = Places::new(&spec.shape, &at, dim);
    Core::own("scatter", [&x, &indices, &value], spec, |[x, indices, value]| {
        let each = Writes { places, indices, value };
        match (update, dtype) {
            (IndexUpdate::Assign, _) => with_element!(dtype, E => each.write::<E>(&x, |_, new| new)),
            (_, DType::Bool) => unreachable!("bools are only assigned"),
            (_, dtype) if dtype.is_float() => with_float!(dtype, E => {
                let function = update.function().expect("assigning was matched");
                each.write::<E>(&x, |old, new| {
                    <E as burn_backend::Element>::from_f64(function.eval_f64(
                        burn_backend::Element::to_f64(old), burn_backend::Element::to_f64(new)))
                })
            }),
            (_, dtype) => with_int!(dtype, E => {
                let function = update.function().expect("assigning was matched");
                each.write::<E>(&x, |old, new| E::wrapped(function.eval_int(old.wide(), new.wide())))
            }),
        }
    })
}

/// The positions and values that a scatter writes.
struct Writes {
    places: Places,
    indices: Tensor,
    value: Tensor,
}

impl Writes {
    /// `x` with `f` of what is there and each value for the position, one after the other.
    fn write<E: Number>(&self, x: &Tensor, f: impl Fn(E, E) -> E) -> Result<Tensor> {
        host::read::<i64, _>(&self.indices, |indices| {
            host::read::<E, _>(&self.value, |values| {
                rewritten::<E>(x, |out| {
                    for (at, (&index, &value)) in indices.iter().zip(values).enumerate() {
                        let place = &mut out[self.places.place(at, index)];
                        *place = f(E::load(*place), E::load(value)).store();
                    }
                })
            })
        })??
    }
}

#[track_caller]
pub fn select_assign(
    x: CandleTensor,
    dim: usize,
    indices: CandleTensor,
    value: CandleTensor,
    update: IndexUpdate,
) -> CandleTensor {
    let (spec, shape) = (x.spec().clone(), value.shape());
    let indices = checked("select_assign", indices, &spec.shape, dim);
    if shape.num_elements() == 0 {
        return x;
    }
    if update == IndexUpdate::Add && spec.dtype.is_float() {
        return Core::run("index_add", x.device(), spec, || {
            let value = in_order(value.candle())?;
            if x.device() == CandleDevice::Cpu {
                return x.candle().index_add(indices.candle(), &value, dim);
            }
            // Its kernel for GPUs reads buffers from their start.
            let [x, indices] = [&x, &indices].map(|x| x.candle().force_contiguous());
            x?.index_add(&indices?, &value.force_contiguous()?, dim)
        });
    }
    scatter(x, dim, everywhere(indices, dim, shape), value, update)
}

/// The same list of indices along `dim` everywhere in `shape`.
fn everywhere(list: CandleTensor, dim: usize, shape: Shape) -> CandleTensor {
    let column: Shape = (0..shape.rank()).map(|d| if d == dim { shape[d] } else { 1 }).collect();
    crate::layout::expand(crate::layout::reshape(list, column), shape)
}
