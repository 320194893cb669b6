//! Convolutions and poolings, of up to three spatial dimensions, in what sums are made in.

mod adaptive;
mod conv;
mod direct;
mod images;
mod pool;
mod products;
mod unfold;

pub use adaptive::{adaptive_avg_pool, adaptive_avg_pool_grad};
pub use conv::{conv_, conv_transpose_, conv_weight_grad_};
pub use pool::{max_pool_with_indices, pool, pool_grad_};

use crate::launch::kernel::Body;
use cubecl::prelude::*;

/// Word lists of a window: three of each, the first ones 1 where there are fewer dimensions.
#[derive(CubeType, Clone)]
struct Window {
    kernel: Sequence<u32>,
    stride: Sequence<u32>,
    padding: Sequence<u32>,
    dilation: Sequence<u32>,
    input: Sequence<u32>,
    output: Sequence<u32>,
}

/// Reads the words of [`window_words`].
fn window(body: &mut Body) -> WindowExpand {
    WindowExpand {
        kernel: body.next_words(3),
        stride: body.next_words(3),
        padding: body.next_words(3),
        dilation: body.next_words(3),
        input: body.next_words(3),
        output: body.next_words(3),
    }
}

/// The last three of a list, with `fill` in front.
fn three(list: &[usize], fill: usize) -> [u32; 3] {
    let mut all = [fill as u32; 3];
    all[3 - list.len()..].iter_mut().zip(list).for_each(|(to, &from)| *to = from as u32);
    all
}

fn window_words(
    kernel: &[usize],
    stride: &[usize],
    padding: &[usize],
    dilation: &[usize],
    input: &[usize],
    output: &[usize],
) -> Vec<u32> {
    let lists = [(kernel, 1), (stride, 1), (padding, 0), (dilation, 1), (input, 1), (output, 1)];
    lists.into_iter().flat_map(|(list, fill)| three(list, fill)).collect()
}

/// Index of tap `tap` of the window of output `out` in dimension `d`; `input` or above, also by wrapping, in
/// the padding.
#[cube]
fn tap_place(w: &Window, #[comptime] d: usize, out: u32, tap: u32) -> u32 {
    out * *w.stride.index(d) + tap * *w.dilation.index(d) - *w.padding.index(d)
}

/// Output that tap `tap` brings input `at` to in dimension `d`; `output` or above where there is none.
#[cube]
fn tap_source(w: &Window, #[comptime] d: usize, at: u32, tap: u32) -> u32 {
    let reach = at + *w.padding.index(d);
    let back = tap * *w.dilation.index(d);
    let step = *w.stride.index(d);
    let found = reach >= back && (reach - back) % step == 0u32;
    select(found, (reach - back) / step, 0xffff_ffffu32)
}
