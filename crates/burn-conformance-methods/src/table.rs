use super::calls::Named;
use super::{
    derivatives, dynamic, elementwise, float, functions, huge, indexed, integer, kinds, layout, linalg,
    modules, named,
};
use super::{numeric, quantized, signal};
use crate::arguments::Arguments;
use burn_backend::dynamic::DynamicDevice;
use burn_conformance::fuzz::Random;
use burn_conformance::message;
use burn_tensor::{AutodiffBackend, Bool, Float, Int};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn numeric_lists() -> [&'static [Named]; 18] {
    [
        numeric::along_dimensions::<1, Float>(),
        numeric::arithmetic::<1, Float>(),
        numeric::layouts::<1, Float>(),
        numeric::along_dimensions::<2, Float>(),
        numeric::arithmetic::<2, Float>(),
        numeric::layouts::<2, Float>(),
        numeric::along_dimensions::<3, Float>(),
        numeric::arithmetic::<3, Float>(),
        numeric::layouts::<3, Float>(),
        numeric::along_dimensions::<4, Float>(),
        numeric::arithmetic::<4, Float>(),
        numeric::layouts::<4, Float>(),
        numeric::along_dimensions::<1, Int>(),
        numeric::arithmetic::<1, Int>(),
        numeric::layouts::<1, Int>(),
        numeric::along_dimensions::<3, Int>(),
        numeric::arithmetic::<3, Int>(),
        numeric::layouts::<3, Int>(),
    ]
}

fn table() -> impl Iterator<Item = &'static Named> {
    let lists: [&[Named]; _] = [
        float::calls::<1>(),
        float::calls::<2>(),
        float::calls::<3>(),
        float::calls::<4>(),
        elementwise::floats::<1>(),
        elementwise::activations::<1>(),
        elementwise::floats::<3>(),
        elementwise::activations::<3>(),
        elementwise::numbers::<2, Float>(),
        elementwise::numbers::<2, Int>(),
        elementwise::kinds::<2, Float>(),
        elementwise::kinds::<1, Int>(),
        elementwise::kinds::<3, Bool>(),
        elementwise::integers::<2>(),
        kinds::calls::<1, Float>(),
        kinds::calls::<2, Float>(),
        kinds::calls::<3, Float>(),
        kinds::calls::<2, Int>(),
        kinds::calls::<3, Bool>(),
        layout::calls::<1, Float>(),
        layout::calls::<2, Int>(),
        layout::calls::<3, Float>(),
        layout::calls::<4, Bool>(),
        integer::calls::<1>(),
        integer::calls::<2>(),
        integer::calls::<4>(),
        indexed::calls::<1, 2>(),
        indexed::calls::<2, 1>(),
        indexed::calls::<3, 2>(),
        linalg::calls::<2, 1>(),
        linalg::calls::<3, 2>(),
        linalg::calls::<4, 3>(),
        linalg::calls::<1, 2>(),
        signal::calls::<1>(),
        signal::calls::<2>(),
        signal::calls::<3>(),
        modules::calls(),
        functions::calls(),
        huge::calls(),
        dynamic::calls::<Float>(),
        dynamic::calls::<Int>(),
        dynamic::of_all(),
        named::calls(),
        quantized::calls::<1>(),
        quantized::calls::<2>(),
        quantized::calls::<3>(),
    ];
    numeric_lists().into_iter().chain(lists).flatten()
}

/// Number of values that [`check_method`] distinguishes.
pub fn methods() -> usize {
    table().count()
}

/// Calls one of the methods that give an error as a value: it gives one in words that begin with its name, at
/// the line of the call, or a result.
///
/// # Errors
/// The panic or the wrong result.
pub fn check_method(number: usize, random: &mut Random, device: &DynamicDevice) -> Result<(), String> {
    let call = table().nth(number % methods()).expect("the number is below the count");
    verify(call, number, random, device, false).map(drop)
}

/// Calls whose results no machine has memory for.
fn refused() -> impl Iterator<Item = &'static Named> {
    let lists: [&[Named]; _] = [
        huge::calls(),
        elementwise::floats::<1>(),
        elementwise::activations::<1>(),
        elementwise::floats::<2>(),
        elementwise::activations::<2>(),
        elementwise::numbers::<1, Float>(),
        elementwise::numbers::<2, Int>(),
        elementwise::kinds::<1, Float>(),
        elementwise::kinds::<2, Int>(),
        elementwise::kinds::<3, Bool>(),
        elementwise::integers::<1>(),
    ];
    lists.into_iter().flatten()
}

/// Number of values that [`check_refusal`] distinguishes.
pub fn refusals() -> usize {
    refused().count()
}

/// [`check_method`] of a call whose result no machine has memory for: its error says how much was asked for.
///
/// # Errors
/// The panic, the result or another error.
pub fn check_refusal(number: usize, random: &mut Random, device: &DynamicDevice) -> Result<(), String> {
    let number = number % refusals();
    let call = refused().nth(number).expect("the number is below the count");
    let said = |text: &str| {
        let words = [
            "of memory",
            "more memory than can be counted",
            "more elements than memory can hold",
            "larger than any memory",
        ];
        words.iter().any(|words| text.contains(words))
    };
    match verify(call, number, random, device, true)? {
        Some(text) if said(&text) => Ok(()),
        Some(text) => Err(format!("{} (refusal {number}): the error does not say how much: {text}", call.0)),
        None => Err(format!("{} (refusal {number}) has a result", call.0)),
    }
}

/// Number of values that [`check_gradient`] distinguishes.
pub fn gradients<B: AutodiffBackend<InnerBackend: AutodiffBackend>>() -> usize {
    derivatives::calls::<B, 1>().len() + derivatives::calls::<B, 3>().len()
}

/// [`check_method`] for functions that differentiate, on a backend that does so twice.
///
/// # Errors
/// The panic, or an error without the words.
pub fn check_gradient<B: AutodiffBackend<InnerBackend: AutodiffBackend>>(
    number: usize,
    random: &mut Random,
    device: &DynamicDevice,
) -> Result<(), String> {
    let number = number % gradients::<B>();
    let mut all = derivatives::calls::<B, 1>().iter().chain(derivatives::calls::<B, 3>());
    verify(all.nth(number).expect("the number is below the count"), number, random, device, false).map(drop)
}

/// The text of the error, if there is one.
fn verify(
    (name, call): &Named,
    number: usize,
    random: &mut Random,
    device: &DynamicDevice,
    is_stretched: bool,
) -> Result<Option<String>, String> {
    let before = random.clone();
    let outcome =
        catch_unwind(AssertUnwindSafe(|| call(&mut Arguments { random, device, last: None, is_stretched })));
    let outcome = match outcome {
        Err(panic) => Err(message(&*panic)),
        Ok(Ok(())) => Ok(None),
        Ok(Err(error)) => {
            let (text, file) = (error.to_string(), error.location().file());
            if !file.contains("conformance") || !file.contains("methods") {
                Err(format!("the line is not that of the caller but {file}: {text}"))
            } else if error.operation() != *name || !text.starts_with(&format!("{name}: ")) {
                Err(format!("the error does not name the method that was called: {text}"))
            } else if text.len() < name.len() + 10 {
                Err(format!("the error is no help: {text}"))
            } else {
                Ok(Some(text))
            }
        }
    };
    outcome.map_err(|error| format!("{name} (method {number}, {before:?}): {error}"))
}
