use super::reflector::{reflect, reflector};
use super::rows::Real;
use crate::memory::list;

/// `Q` over `R^T`, by reflections.
pub fn qr<E: Real>(x: &[E], rows: usize, cols: usize, out: &mut [E]) {
    let inner = rows.min(cols);
    let mut work = x.to_vec();
    let mut buffer = list(E::zero(), cols.max(inner));
    let mut reflectors = list(E::zero(), inner * rows);
    for j in 0..inner {
        let v = &mut reflectors[j * rows + j..(j + 1) * rows];
        v.iter_mut().enumerate().for_each(|(i, v)| *v = work[(j + i) * cols + j]);
        let beta = reflector(v);
        reflect(v, &mut work[j * cols..], cols, j, &mut buffer);
        work[j * cols + j] = beta;
    }
    let (q, r) = out.split_at_mut(rows * inner);
    q.fill(E::zero());
    (0..inner).for_each(|j| q[j * inner + j] = E::one());
    for j in (0..inner).rev() {
        let v = &reflectors[j * rows + j..(j + 1) * rows];
        reflect(v, &mut q[j * inner..], inner, j, &mut buffer);
    }
    for j in 0..inner {
        let sign = if work[j * cols + j] < E::zero() { -E::one() } else { E::one() };
        (0..rows).for_each(|i| q[i * inner + j] *= sign);
        for col in 0..cols {
            r[col * inner + j] = if col < j { E::zero() } else { sign * work[j * cols + col] };
        }
    }
}
