use super::key::Keyed;
use crate::launch::kernel::{A, Body, D, Kernel, launch};
use crate::launch::lines::{LineView, LineWords, Lines, LinesKind, along, line_start};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use burn_backend::{DType, HasSpec, TensorSpec};
use cubecl::prelude::*;

/// Elements from indices, and the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fetch {
    lines: LinesKind,
}

/// Lines of the elements and of the results.
#[derive(CubeType, Clone)]
struct FetchLines {
    lines: LineWords,
    of_x: LineView,
    to: LineView,
    /// Elements of a line that are wanted, and those that are given in order.
    wanted: u32,
    given: u32,
}

#[cube]
fn fetch<E: Numeric, I: Numeric>(
    x: &Array<E>,
    from: &Array<u32>,
    values: &mut Array<E>,
    indices: &mut Array<I>,
    fetch: &FetchLines,
) {
    let lines = &fetch.lines;
    let at = strides::position();
    if at < lines.count * fetch.wanted {
        let (line, k) = (at / fetch.wanted, at % fetch.wanted);
        let index = from[(line * fetch.given + k) as usize];
        let target = along(&fetch.to, line_start(lines, &fetch.to, line), k);
        values[target] = x[along(&fetch.of_x, line_start(lines, &fetch.of_x, line), index)];
        indices[target] = I::cast_from(index);
    }
}

impl Kernel for Fetch {
    const NAME: &'static str = "sort_fetch";

    fn expand(&self, body: &mut Body) {
        let (x, from, values, indices) = (body.array(0), body.array(1), body.array(2), body.array(3));
        let (lines, [of_x, to]) = self.lines.read(body);
        let fetch_lines =
            FetchLinesExpand { lines, of_x, to, wanted: body.next_word(), given: body.next_word() };
        fetch::expand::<A, D>(&mut body.scope, x, from, values, indices, fetch_lines);
    }
}

/// The elements of `x` that are first in the order of `lines`, and their indices.
pub fn fetched(
    x: &CubeTensor,
    dim: usize,
    lines: &Keyed,
    wanted: usize,
    index: DType,
) -> (CubeTensor, CubeTensor) {
    let spec = |dtype| TensorSpec::new(x.shape().with(dim, wanted), dtype);
    let values = CubeTensor::empty(spec(x.dtype()), x.engine());
    let indices = CubeTensor::empty(spec(index), x.engine());
    let views = Lines::new(&[x, &values], dim);
    let mut words = views.words();
    words.extend(strides::words(&[wanted, lines.terms]));
    let kernel = Fetch { lines: views.kind() };
    launch(kernel, &[x, &lines.places], &[&values, &indices], &words, views.count * wanted);
    (values, indices)
}
