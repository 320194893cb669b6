use crate::float::Number;
use crate::{Array, layout};
use burn_backend::Shape;

pub fn matmul<E: Number>(x: Array<E>, y: Array<E>) -> Array<E> {
    let (rows, depth, cols) = (rank_end(&x, 2), rank_end(&x, 1), rank_end(&y, 1));
    let (x_batch, y_batch) = (batch(&x), batch(&y));
    let (x, y) = (with_batch(x, &x_batch, &y_batch), with_batch(y, &y_batch, &x_batch));
    let (x, y) = (x.into_contiguous(), y.into_contiguous());
    let mut shape = x.shape().clone();
    let rank = shape.rank();
    shape[rank - 1] = cols;
    let mut out = vec![E::default(); shape.num_elements()];
    let batches =
        out.chunks_exact_mut((rows * cols).max(1)).zip(x.buffer().chunks_exact((rows * depth).max(1)));
    for ((out, x), y) in batches.zip(y.buffer().chunks_exact((depth * cols).max(1))) {
        for (out, x) in out.chunks_exact_mut(cols).zip(x.chunks_exact(depth)) {
            for (&x, y) in x.iter().zip(y.chunks_exact(cols)) {
                out.iter_mut().zip(y).for_each(|(out, &y)| *out = *out + x * y);
            }
        }
    }
    Array::new(shape, out)
}

fn rank_end<E: Number>(x: &Array<E>, back: usize) -> usize {
    x.shape()[x.shape().rank() - back]
}

fn batch<E: Number>(x: &Array<E>) -> Shape {
    x.shape()[..x.shape().rank() - 2].iter().copied().collect()
}

fn with_batch<E: Number>(x: Array<E>, own: &Shape, other: &Shape) -> Array<E> {
    let pad = |shape: &Shape| other.rank().max(own.rank()) - shape.rank();
    let padded =
        |shape: &Shape| std::iter::repeat_n(1, pad(shape)).chain(shape.iter().copied()).collect::<Vec<_>>();
    let wide = padded(own).into_iter().zip(padded(other)).map(|(a, b)| if a == 1 { b } else { a });
    let shape = wide.chain([rank_end(&x, 2), rank_end(&x, 1)]).collect();
    layout::expand(x, shape)
}
