use super::{
    Definition, activation, arithmetic, attention, bits, compare, convert, convolution, create, elementwise,
    index, layout, linalg, matrix, normalize, pool, recurrent, reduce, signal,
};

/// Returns the definition of every call.
pub fn all() -> impl Iterator<Item = &'static Definition> {
    let files = [
        activation::ALL,
        arithmetic::ALL,
        attention::ALL,
        bits::ALL,
        compare::ALL,
        convert::ALL,
        convolution::ALL,
        create::ALL,
        elementwise::ALL,
        index::ALL,
        layout::ALL,
        linalg::ALL,
        matrix::ALL,
        normalize::ALL,
        pool::ALL,
        recurrent::ALL,
        reduce::ALL,
        signal::ALL,
    ];
    files.into_iter().flatten().copied()
}
