//! Initial values that are not one draw from a distribution of the backend.

use crate::tensor::{Backend, DType, Distribution, Element, Int, Tensor, linalg};
use libm::{ceil, erf};

/// Returns the element type to compute initial values in: at least `f32`.
fn wide<B: Backend>() -> DType {
    if <B::FloatElem as Element>::DTYPE == DType::F64 { DType::F64 } else { DType::F32 }
}

/// Returns a random matrix with orthonormal rows or columns, whichever are fewer.
pub fn orthogonal<B: Backend, const D: usize>(dims: [usize; D], device: &B::Device) -> Tensor<B, D> {
    let (rows, columns) = (dims[0], dims[1..].iter().product::<usize>());
    if rows * columns == 0 {
        return Tensor::zeros(dims, device);
    }
    let (long, short) = (rows.max(columns), rows.min(columns));
    let normal = Distribution::Normal(0.0, 1.0);
    let normal = Tensor::<B, 2>::random([long, short], normal, (device, wide::<B>()));
    // With a diagonal of R that is not negative, Q is uniform over all orthonormal columns (Mezzadri 2007).
    let (q, _) = linalg::qr(normal);
    let q = if rows < columns { q.transpose() } else { q };
    q.reshape(dims).cast(<B::FloatElem as Element>::DTYPE)
}

/// Returns ones where the indices of the two dimensions are equal.
pub fn identity<B: Backend, const D: usize>(dims: [usize; D], device: &B::Device) -> Tensor<B, D> {
    let index = |size: usize| Tensor::<B, 1, Int>::arange(0..size as i64, device);
    let (rows, columns) = (index(dims[0]).reshape([dims[0], 1]), index(dims[1]).reshape([1, dims[1]]));
    rows.equal(columns).float().reshape(dims)
}

/// Returns convolution weights `[channels_out, channels_in / groups, kernel ..]` of the identity.
pub fn dirac<B: Backend, const D: usize>(
    dims: [usize; D],
    groups: usize,
    device: &B::Device,
) -> Tensor<B, D> {
    let (outputs, inputs, kernel) = (dims[0] / groups, dims[1], &dims[2..]);
    let taps: usize = kernel.iter().product();
    let center = kernel.iter().fold(0, |center, size| center * size + size / 2);
    let channels: Tensor<B, 2> = identity([outputs, inputs], device);
    let taps = identity::<B, 2>([1, taps], device).roll_dim(center as isize, 1);
    let group = channels.reshape([outputs * inputs, 1]).matmul(taps);
    group.repeat_dim(0, groups).reshape(dims)
}

/// Returns a normal matrix in which each column has `ceil(sparsity * rows)` zeros at random rows.
pub fn sparse<B: Backend, const D: usize>(
    dims: [usize; D],
    sparsity: f64,
    device: &B::Device,
) -> Tensor<B, D> {
    let zeros = ceil(sparsity * dims[0] as f64) as i64;
    let order = Tensor::<B, D>::random(dims, Distribution::Default, device).argsort(0).argsort(0);
    Tensor::random(dims, Distribution::Normal(0.0, 1.0), device).mask_fill(order.lower_elem(zeros), 0.0)
}

/// Returns values of a standard normal distribution that is restricted to `[low, high]`, by the inverse of
/// its cumulative distribution.
pub fn truncated_normal<B: Backend, const D: usize>(
    dims: [usize; D],
    [low, high]: [f64; 2],
    device: &B::Device,
) -> Tensor<B, D> {
    // 2 cumulative - 1
    let signed = |x: f64| erf(x * core::f64::consts::FRAC_1_SQRT_2);
    let uniform = Distribution::Uniform(signed(low), signed(high));
    let uniform = Tensor::random(dims, uniform, (device, wide::<B>()));
    let values = (erf_inverse(uniform) * core::f64::consts::SQRT_2).clamp(low, high);
    values.cast(<B::FloatElem as Element>::DTYPE)
}

/// Computes the inverse of the error function: polynomials of Giles ("Approximating the erfinv function",
/// 2010), then two steps of Newton's method, which give the precision of `f64`.
fn erf_inverse<B: Backend, const D: usize>(x: Tensor<B, D>) -> Tensor<B, D> {
    const CENTER: [f64; 9] = [
        2.810_226_36e-8,
        3.432_739_39e-7,
        -3.523_387_7e-6,
        -4.391_506_54e-6,
        2.185_808_7e-4,
        -1.253_725_03e-3,
        -4.177_681_64e-3,
        0.246_640_727,
        1.501_409_41,
    ];
    const TAIL: [f64; 9] = [
        -2.002_142_57e-4,
        1.009_505_58e-4,
        1.349_343_22e-3,
        -3.673_428_44e-3,
        5.739_507_73e-3,
        -7.622_461_3e-3,
        9.438_870_47e-3,
        1.001_674_06,
        2.832_976_82,
    ];
    let horner = |coefficients: [f64; 9], w: Tensor<B, D>| {
        let [first, others @ ..] = coefficients;
        let start = w.clone() * 0.0 + first;
        others.into_iter().fold(start, |sum, coefficient| sum * w.clone() + coefficient)
    };
    // Just inside of -1 and 1, where the inverse is infinite.
    let inside = x.clamp(-1.0 + 1e-7, 1.0 - 1e-7);
    let w = -((-inside.clone() + 1.0) * (inside.clone() + 1.0)).log();
    let center = horner(CENTER, w.clone() - 2.5);
    let tail = horner(TAIL, w.clone().clamp_min(5.0).sqrt() - 3.0);
    let start = center.mask_where(w.greater_equal_elem(5.0), tail) * inside.clone();
    (0..2).fold(start, |y, _| {
        let slope = (-y.clone().square()).exp() * core::f64::consts::FRAC_2_SQRT_PI;
        y.clone() - (y.erf() - inside.clone()) / slope
    })
}
