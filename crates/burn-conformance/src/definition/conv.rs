use super::Expected;
use crate::array::{Array, indices};
use crate::number::Number;
use crate::tolerance::Tolerance;
use burn_backend::{ConvArgs, ConvGradArgs, ConvOptions, Dims, HasSpec, Shape};

/// Every product of a convolution, by the indices into input, weight and output.
fn products(
    x: &Shape,
    weight: &Shape,
    out: &Shape,
    options: &ConvOptions,
    mut f: impl FnMut(&[usize], &[usize], &[usize]),
) {
    let channels_per_group = weight[0] / options.groups;
    for o in indices(out) {
        for w in indices(&weight.with(0, 1)) {
            let place = |d: usize| {
                let padded = o[d + 2] * options.stride[d] + w[d + 2] * options.dilation[d];
                padded.checked_sub(options.padding[d]).filter(|&at| at < x[d + 2])
            };
            let Some(inside) = (0..options.stride.len()).map(place).collect::<Option<Vec<_>>>() else {
                continue;
            };
            let channel = o[1] / channels_per_group * weight[1] + w[1];
            let i: Dims = [o[0], channel].into_iter().chain(inside).collect();
            let mut w = w;
            w[0] = o[1];
            f(&i, &w, &o);
        }
    }
}

/// The exact sums, and the sums of the magnitudes.
struct Sums {
    value: Array,
    magnitude: Array,
    terms: usize,
}

impl Sums {
    fn new(shape: &Shape, like: &Array, terms: usize) -> Self {
        let zero = Number::zero(like.dtype());
        let value = Array::build(shape.clone(), like.dtype(), |_| zero);
        let magnitude = value.map(like.dtype(), |_| Number::Float(0.0));
        Sums { value, magnitude, terms }
    }

    fn add(&mut self, at: &[usize], term: Number) {
        let (value, magnitude) = (self.value.at_mut(at), self.magnitude.at_mut(at));
        *value = value.add(term);
        *magnitude = Number::Float(magnitude.to_f64() + term.to_f64().abs());
    }

    fn expected(self) -> Expected {
        let magnitudes = self.magnitude.values.iter().map(|x| x.to_f64()).collect();
        Expected { array: self.value, tolerance: Tolerance::Sum { magnitudes, terms: self.terms } }
    }
}

pub fn conv(args: &ConvArgs<Array>) -> Expected {
    let ConvArgs { x, weight, bias, options } = args;
    let sizes = (0..options.stride.len()).map(|d| {
        let reach = options.dilation[d] * (weight.shape()[d + 2] - 1) + 1;
        (x.shape()[d + 2] + 2 * options.padding[d] - reach) / options.stride[d] + 1
    });
    let shape: Shape = [x.shape()[0], weight.shape()[0]].into_iter().chain(sizes).collect();
    let mut sums = Sums::new(&shape, x, weight.shape()[1..].iter().product::<usize>() + 1);
    if let Some(bias) = bias {
        indices(&shape).for_each(|o| sums.add(&o, bias.values[o[1]]));
    }
    products(x.shape(), weight.shape(), &shape, options, |i, w, o| {
        sums.add(o, x.at(i).mul(weight.at(w)));
    });
    sums.expected()
}

pub fn conv_transpose(args: &ConvGradArgs<Array>) -> Expected {
    let ConvGradArgs { grad, other: weight, target, options } = args;
    let terms = weight.shape().num_elements() / weight.shape()[1].max(1);
    let mut sums = Sums::new(target, grad, terms);
    products(target, weight.shape(), grad.shape(), options, |i, w, o| {
        sums.add(i, grad.at(o).mul(weight.at(w)));
    });
    sums.expected()
}

pub fn conv_weight_grad(args: &ConvGradArgs<Array>) -> Expected {
    let ConvGradArgs { grad, other: x, target, options } = args;
    let terms = grad.shape().num_elements() / grad.shape()[1].max(1);
    let mut sums = Sums::new(target, grad, terms);
    products(x.shape(), target, grad.shape(), options, |i, w, o| {
        sums.add(w, grad.at(o).mul(x.at(i)));
    });
    sums.expected()
}
