//! Windows of images as columns of matrices (Chellapilla, Puri and Simard 2006), and the sums of columns back
//! into images.

use super::images::{elements, is_within, number_in, spot_of};
use super::{Window, tap_place, tap_source, window, window_words};
use crate::launch::kernel::{A, Body, Kernel, launch};
use crate::launch::strides;
use crate::launch::tensor::CubeTensor;
use crate::ops::accumulate::{Partial, name_partial};
use burn_backend::*;
use cubecl::prelude::*;

/// Windows of a convolution, by the spatial sizes of its tensors.
#[derive(Debug)]
pub struct Windows<'a> {
    pub kernel: &'a [usize],
    pub input: &'a [usize],
    pub output: &'a [usize],
    pub options: &'a ConvOptions,
}

impl Windows<'_> {
    /// Whether each window is a single element, in the order of the elements.
    pub fn are_elements(&self) -> bool {
        let ConvOptions { stride, padding, .. } = self.options;
        self.input == self.output
            && self.kernel.iter().all(|&size| size == 1)
            && stride.iter().all(|&step| step == 1)
            && padding.iter().all(|&size| size == 0)
    }

    fn words(&self, count: usize) -> Vec<u32> {
        let ConvOptions { stride, dilation, .. } = self.options;
        let padding = self.options.padding_before();
        let mut words: Vec<u32> = strides::words(&[count]).collect();
        words.extend(window_words(self.kernel, stride, padding, dilation, self.input, self.output));
        words
    }
}

#[cube]
fn unfold_<E: Numeric>(x: &Array<E>, out: &mut Array<E>, count: u32, w: &Window) {
    let at = strides::position();
    if at < count {
        let own = spot_of(at, &w.output);
        let tap = spot_of(own.image, &w.kernel);
        let i0 = tap_place(w, 0usize, own.at0, tap.at0);
        let i1 = tap_place(w, 1usize, own.at1, tap.at1);
        let i2 = tap_place(w, 2usize, own.at2, tap.at2);
        let mut value = E::from_int(0);
        if is_within(&w.input, i0, i1, i2) {
            value = x[(tap.image * elements(&w.input) + number_in(&w.input, i0, i1, i2)) as usize];
        }
        out[at as usize] = value;
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Unfold;

impl Kernel for Unfold {
    const NAME: &'static str = "unfold";

    fn expand(&self, body: &mut Body) {
        let (x, out) = (body.array(0), body.array(1));
        let (count, window) = (body.next_word(), window(body));
        unfold_::expand::<A>(&mut body.scope, x, out, count, window);
    }
}

/// Copies contiguous images, `[.., ..input]`, to columns, `[.., taps, windows]`: an element of each window
/// for each tap, zero in the padding.
pub fn unfold(x: &CubeTensor, windows: &Windows) -> CubeTensor {
    let [images, taps, places] = sizes_of(x.spec().shape.num_elements(), windows.input, windows);
    let spec = TensorSpec::new([images, taps, places], x.dtype());
    let out = CubeTensor::empty(spec, x.engine());
    let count = images * taps * places;
    launch(Unfold, &[x], &[&out], &windows.words(count), count);
    out
}

#[cube]
fn fold_<E: Numeric, S: Numeric>(columns: &Array<E>, out: &mut Array<E>, count: u32, w: &Window) {
    let at = strides::position();
    if at < count {
        let own = spot_of(at, &w.input);
        let mut sum = S::from_int(0);
        let mut row = own.image * elements(&w.kernel);
        for k0 in 0..*w.kernel.index(0usize) {
            let o0 = tap_source(w, 0usize, own.at0, k0);
            for k1 in 0..*w.kernel.index(1usize) {
                let o1 = tap_source(w, 1usize, own.at1, k1);
                for k2 in 0..*w.kernel.index(2usize) {
                    let o2 = tap_source(w, 2usize, own.at2, k2);
                    if is_within(&w.output, o0, o1, o2) {
                        let place = row * elements(&w.output) + number_in(&w.output, o0, o1, o2);
                        sum += S::cast_from(columns[place as usize]);
                    }
                    row += 1u32;
                }
            }
        }
        out[at as usize] = E::cast_from(sum);
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Fold;

impl Kernel for Fold {
    const NAME: &'static str = "fold";

    fn expand(&self, body: &mut Body) {
        let (columns, out) = (body.array(0), body.array(1));
        let (count, window) = (body.next_word(), window(body));
        name_partial(body, body.dtype(0));
        fold_::expand::<A, Partial>(&mut body.scope, columns, out, count, window);
    }
}

/// Adds up contiguous columns, `[.., taps, windows]`, to images of `spec`: each element is the sum over the
/// windows that it is in.
pub fn fold(columns: &CubeTensor, spec: TensorSpec, windows: &Windows) -> CubeTensor {
    let count = spec.shape.num_elements();
    let out = CubeTensor::empty(spec, columns.engine());
    launch(Fold, &[columns], &[&out], &windows.words(count), count);
    out
}

/// Images, taps and windows of so many elements, of which an image has those of `own`.
fn sizes_of(count: usize, own: &[usize], windows: &Windows) -> [usize; 3] {
    let [own, taps, places] = [own, windows.kernel, windows.output].map(|sizes| sizes.iter().product());
    [count / own, taps, places]
}
