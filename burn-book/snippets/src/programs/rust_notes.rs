// ANCHOR: program
use burn::backend::NdArray;
use burn::prelude::*;

/// Standardizes the rows of a matrix, on any backend: `B` is a type parameter.
fn standardize<B: Backend>(x: Tensor<B, 2>) -> Tensor<B, 2> {
    let mean = x.clone().mean_dim(1); // `x` is used again below: clone it
    let deviation = x.clone().var(1).sqrt();
    (x - mean) / deviation // the last expression is the result
}

/// Reads numbers that are separated by commas. `?` returns the error to the caller.
fn parse(text: &str) -> Result<Vec<f32>, std::num::ParseFloatError> {
    let mut numbers = Vec::new();
    for part in text.split(',') {
        numbers.push(part.trim().parse()?);
    }
    Ok(numbers)
}

fn main() {
    for text in ["1, 2, 3", "1, two"] {
        match parse(text) {
            Ok(numbers) => {
                let row = Tensor::<NdArray, 1>::from_data(&numbers[..], &Default::default());
                let row = standardize(row.unsqueeze()); // shadowing: the same name, another type
                println!("{}", row.into_data());
            }
            Err(error) => println!("{text}: {error}"),
        }
    }
}
// ANCHOR_END: program

#[test]
fn x_701_notes_on_rust() {
    crate::page_output::page_prints!("rust-notes.md");
}
