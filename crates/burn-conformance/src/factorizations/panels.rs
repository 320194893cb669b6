//! Systems of equations and factors by elimination, beside those of another backend in `f64`.

use super::matrices::{assert_near, has_doubles, in_doubles, matrices, on, read};
use burn_backend::*;

/// Right sides of many columns and of one.
pub fn systems_of_several_panels<B: Backend, C: Backend>() {
    let (a, b) = (matrices(&[2, 1, 150, 150], 4.0), matrices(&[3, 150, 70], 0.0));
    let found = B::solve(on::<B>(&a), on::<B>(&b));
    assert_near::<B, C>("solve", found, C::solve(in_doubles::<C>(&a), in_doubles::<C>(&b)));
    for size in [1, 31, 32, 33, 100] {
        let (a, b) = (matrices(&[3, size, size], 4.0), matrices(&[3, size, 1], 0.0));
        let found = B::solve(on::<B>(&a), on::<B>(&b));
        assert_near::<B, C>(
            &format!("solve of {size}"),
            found,
            C::solve(in_doubles::<C>(&a), in_doubles::<C>(&b)),
        );
    }
    let a = matrices(&[150, 150], 100.0);
    for triangle in Triangle::ALL.into_iter().filter(|triangle| !triangle.unit) {
        let found = B::solve_triangular(on::<B>(&a), on::<B>(&b), triangle);
        assert_near::<B, C>(
            "solve_triangular",
            found,
            C::solve_triangular(in_doubles::<C>(&a), in_doubles::<C>(&b), triangle),
        );
    }
}

fn assert_factors<B: Backend, C: Backend>(x: &TensorData) {
    let name = format!("lu of {:?}, {}", x.shape, x.dtype);
    let (found, order) = B::lu(on::<B>(x), DType::I32);
    let (expected, rows) = C::lu(in_doubles::<C>(x), DType::I64);
    assert_eq!(read::<B>(order), read::<C>(rows), "{name}");
    assert_near::<B, C>(&name, found, expected);
}

/// Pivots come from all rows, which units hold one or several of, or which stay in memory.
pub fn pivots_of_low_and_high_panels<B: Backend, C: Backend>() {
    for shape in [[2, 150, 150], [1, 200, 70], [1, 70, 200], [2, 33, 33], [1, 1100, 40], [1, 9000, 20]] {
        assert_factors::<B, C>(&matrices(&shape, 0.5));
    }
    if has_doubles::<B>() {
        for shape in [[1, 70, 70], [1, 600, 40]] {
            assert_factors::<B, C>(&matrices(&shape, 0.5).convert_dtype(DType::F64));
        }
    }
}

/// Magnitudes that are equal: the first of them is the pivot, in each column.
pub fn of_equal_pivots_the_first_is_taken<B: Backend, C: Backend>() {
    for rows in [20, 100, 700, 9000] {
        let signs =
            matrices(&[rows, 3], 0.0).to_f64().into_iter().map(|x| if x < -0.3 { -1.0 } else { 1.0_f32 });
        assert_factors::<B, C>(&TensorData::new(signs.collect::<Vec<_>>(), Shape::from([rows, 3])));
    }
}

/// Positive definite matrices of one panel and of several, and triangles of others.
pub fn factors_of_several_panels<B: Backend, C: Backend>() {
    let op = Factorization::Cholesky;
    for (size, batch) in [(1, 3), (5, 2), (31, 2), (32, 1), (33, 2), (64, 1), (150, 2), (260, 1)] {
        let x = matrices(&[batch, size, size], 200.0);
        let found = B::factorize(op, on::<B>(&x));
        assert_near::<B, C>(&format!("cholesky of {size}"), found, C::factorize(op, in_doubles::<C>(&x)));
    }
    if has_doubles::<B>() {
        let x = matrices(&[150, 150], 200.0).convert_dtype(DType::F64);
        assert_near::<B, C>(
            "cholesky of doubles",
            B::factorize(op, on::<B>(&x)),
            C::factorize(op, in_doubles::<C>(&x)),
        );
    }
    for shape in [[2, 150, 150], [1, 200, 70], [1, 70, 200]] {
        let (x, op) = (matrices(&shape, 0.5), Factorization::Qr);
        assert_near::<B, C>("qr", B::factorize(op, on::<B>(&x)), C::factorize(op, in_doubles::<C>(&x)));
    }
}
