//! Numbers and element types as tokens. The values come from the host, so their text is always a literal.

use burn_ir::DType;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use std::str::FromStr;

/// Writes an integer without a type.
pub(super) fn integer(value: i64) -> TokenStream {
    signed(value < 0, &value.unsigned_abs().to_string())
}

/// Writes an integer with the type `i64`.
pub(super) fn integer_i64(value: i64) -> TokenStream {
    signed(value < 0, &format!("{}_i64", value.unsigned_abs()))
}

/// Writes an integer with the type `u64`.
pub(super) fn integer_u64(value: u64) -> TokenStream {
    signed(false, &format!("{value}_u64"))
}

/// Writes a size or an index without a type.
pub(super) fn size(value: usize) -> Literal {
    Literal::usize_unsuffixed(value)
}

/// Writes sizes as an array.
pub(super) fn sizes(values: &[usize]) -> TokenStream {
    let values = values.iter().map(|&value| size(value));
    quote!([#(#values),*])
}

/// Writes an `f64`.
pub(super) fn float(value: f64) -> TokenStream {
    if value.is_nan() {
        return quote!(f64::NAN);
    }
    if value.is_infinite() {
        return if value > 0.0 { quote!(f64::INFINITY) } else { quote!(f64::NEG_INFINITY) };
    }
    // A value of an f32 is written with the digits that distinguish it from other values of f32.
    let magnitude = value.abs();
    let narrow = magnitude as f32;
    let digits = if f64::from(narrow) == magnitude { shortest(narrow) } else { format!("{magnitude:?}") };
    signed(value.is_sign_negative(), &digits)
}

/// The digits of an `f32`, if the `f64` with these digits rounds to it.
fn shortest(value: f32) -> String {
    let text = format!("{value:?}");
    match text.parse::<f64>() {
        Ok(parsed) if parsed as f32 == value => text,
        _ => format!("{:?}", f64::from(value)),
    }
}

/// Writes an element type as `DType::F32`.
pub(super) fn dtype(dtype: DType) -> TokenStream {
    let variant = TokenStream::from_str(&format!("{dtype:?}")).expect("a variant is an expression");
    quote!(DType::#variant)
}

fn signed(is_negative: bool, digits: &str) -> TokenStream {
    let literal = Literal::from_str(digits).expect("digits are a literal");
    if is_negative { quote!(-#literal) } else { quote!(#literal) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_with_the_same_bits() {
        for value in [0.0, 0.1, -2.5, 1e300, f64::MIN_POSITIVE, 16_777_217.0, 1e-5] {
            let text = float(value).to_string().replace(' ', "");
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
        let narrow = float(f64::from(0.1_f32)).to_string();
        assert_eq!(narrow, "0.1");
        assert_eq!(integer(i64::MIN).to_string().replace(' ', ""), "-9223372036854775808");
    }
}
