use super::rows::{Real, dot, norm, scale, subtract};

/// Makes of `v` the unit vector of the reflection `H = I - 2 v v^T` that takes it to `(beta, 0, ..)`, and
/// gives `beta`: of the sign that loses no digits. A vector of zeros stays, and reflects nothing.
pub fn reflector<E: Real>(v: &mut [E]) -> E {
    let length = norm(v);
    if length == E::zero() {
        return length;
    }
    let beta = if v[0] > E::zero() { -length } else { length };
    v[0] -= beta;
    let length = norm(v);
    scale(v, E::one() / length);
    beta
}

/// `x -= 2 v (v^T x)` for the columns from `from` of rows of length `cols`, as many rows as `v` has elements.
/// `buffer` has `cols` elements.
pub fn reflect<E: Real>(v: &[E], x: &mut [E], cols: usize, from: usize, buffer: &mut [E]) {
    let along = &mut buffer[from..cols];
    along.fill(E::zero());
    for (&v, row) in v.iter().zip(x.chunks_exact(cols)) {
        subtract(along, -(v + v), &row[from..]);
    }
    for (&v, row) in v.iter().zip(x.chunks_exact_mut(cols)) {
        subtract(&mut row[from..], v, along);
    }
}

/// Takes from `x` its parts along the rows of `basis`, which are orthonormal.
pub fn project_out<E: Real>(x: &mut [E], basis: &[E]) {
    // Twice: what is left after the first time is right in all digits after the second.
    for direction in basis.chunks_exact(x.len()).chain(basis.chunks_exact(x.len())) {
        let along = dot(direction, x);
        subtract(x, along, direction);
    }
}
