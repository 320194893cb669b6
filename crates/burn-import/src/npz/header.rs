//! Header of an `.npy` array (NumPy enhancement proposal 1).

use crate::numpy_type::numpy_dtype;
use crate::stored_type::{StoredType, byte_size};
use crate::strided_layout::StridedLayout;
use burn_core::tensor::DType;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The longest header: NumPy refuses longer ones too.
pub const MOST_HEADER: u64 = 64 << 10;

/// The description of an array.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    pub dtype: DType,
    pub is_big_endian: bool,
    pub layout: StridedLayout,
    /// Byte offset of the elements.
    pub start: u64,
}

impl Header {
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("no array of NumPy: it begins otherwise")?;
        let (length, before) = match rest {
            [1, _, a, b, ..] => (u64::from(u16::from_le_bytes([*a, *b])), 10),
            [2 | 3, _, a, b, c, d, ..] => (u64::from(u32::from_le_bytes([*a, *b, *c, *d])), 12),
            [version, _, ..] => return Err(format!("version {version} of the format; expected 1, 2 or 3")),
            _ => return Err("truncated: the header ends".to_string()),
        };
        let start = before + length;
        if start > MOST_HEADER {
            return Err(format!("a header of {start} bytes; expected at most {MOST_HEADER}"));
        }
        let text = bytes.get(before as usize..start as usize).ok_or("truncated: the header ends")?;
        let text = std::str::from_utf8(text).map_err(|_| "the header is no text")?;
        let (dtype, is_big_endian) = element_type(entry(text, "descr")?)?;
        let is_fortran = match entry(text, "fortran_order")?.split([',', '}']).next().map(str::trim) {
            Some("True") => true,
            Some("False") => false,
            _ => return Err("`fortran_order` is neither True nor False".to_string()),
        };
        let sizes = sizes(entry(text, "shape")?)?;
        byte_size(&sizes, dtype.size()).ok_or_else(|| format!("shape {sizes:?} is beyond memory"))?;
        let strides = strides(&sizes, is_fortran);
        Ok(Header { dtype, is_big_endian, layout: StridedLayout { offset: 0, sizes, strides }, start })
    }

    pub fn stored(&self) -> StoredType {
        StoredType::Plain(self.dtype)
    }

    /// Returns the bytes of the elements.
    pub fn size(&self) -> u64 {
        byte_size(&self.layout.sizes, self.dtype.size()).unwrap_or(u64::MAX)
    }

    /// Writes the header of an array, padded so that the elements after it are aligned.
    pub fn write(dtype: DType, shape: &[usize]) -> Vec<u8> {
        let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
        // A tuple of one has a comma, others have none at the end.
        let sizes = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
        let descr = description(dtype);
        let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
        let before = MAGIC.len() + 4;
        let padded = (before + text.len() + 1).next_multiple_of(64);
        text.extend(std::iter::repeat_n(' ', padded - before - text.len() - 1));
        text.push('\n');
        let length = (text.len() as u16).to_le_bytes();
        [MAGIC, &[1, 0], &length, text.as_bytes()].concat()
    }
}

/// Returns the text after the key `name` of the dict.
fn entry<'a>(dict: &'a str, name: &str) -> Result<&'a str, String> {
    let found = ['\'', '"'].into_iter().find_map(|quote| dict.split_once(&format!("{quote}{name}{quote}")));
    let value = found.and_then(|(_, rest)| rest.trim_start().strip_prefix(':'));
    value.map(str::trim_start).ok_or_else(|| format!("the header has no `{name}`"))
}

/// `'<f4'` and the like, and whether the bytes are in the other order.
fn element_type(text: &str) -> Result<(DType, bool), String> {
    let quoted = text.strip_prefix(['\'', '"']).and_then(|rest| rest.split(['\'', '"']).next());
    let descr = quoted.ok_or("`descr` is no text: arrays of records are not read")?;
    let (order, kind) = match descr.split_at_checked(1) {
        Some((order @ ("<" | ">" | "|" | "="), kind)) => (order, kind),
        _ => ("<", descr),
    };
    let dtype = match numpy_dtype(kind) {
        Some(dtype) => dtype,
        None if kind == "O" => {
            return Err("an array of Python objects, which would have to be run".to_string());
        }
        None => return Err(format!("elements of type `{kind}` are not read")),
    };
    Ok((dtype, order == ">"))
}

/// The type of elements as NumPy writes it; NumPy has no `bfloat16`, which is written as `f4`.
fn description(dtype: DType) -> &'static str {
    match dtype {
        DType::F64 => "<f8",
        DType::F32 | DType::BF16 => "<f4",
        DType::F16 => "<f2",
        DType::I64 => "<i8",
        DType::I32 => "<i4",
        DType::I16 => "<i2",
        DType::I8 => "|i1",
        DType::U64 => "<u8",
        DType::U32 => "<u4",
        DType::U16 => "<u2",
        DType::U8 => "|u1",
        DType::Bool => "|b1",
    }
}

fn sizes(text: &str) -> Result<Vec<u64>, String> {
    let inner = text.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (inner, _) = inner.ok_or("`shape` is no tuple")?;
    let sizes = inner.split(',').map(str::trim).filter(|size| !size.is_empty());
    sizes
        .map(|size| size.trim_end_matches('L').parse().map_err(|_| format!("`{size}` is not a size")))
        .collect()
}

/// Strides of a contiguous array whose last dimension, or first one, moves fastest.
fn strides(sizes: &[u64], is_fortran: bool) -> Vec<u64> {
    let mut strides = vec![1; sizes.len()];
    let mut stride = 1_u64;
    let mut set = |dim: usize| {
        strides[dim] = stride;
        stride = stride.saturating_mul(sizes[dim].max(1));
    };
    if is_fortran {
        (0..sizes.len()).for_each(&mut set)
    } else {
        (0..sizes.len()).rev().for_each(&mut set)
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_headers_are_aligned_and_are_read_back() {
        for shape in [&[][..], &[3], &[2, 0, 5], &[1, 2, 3, 4]] {
            for dtype in DType::ALL {
                let bytes = Header::write(dtype, shape);
                assert_eq!(bytes.len() % 64, 0);
                let header = Header::parse(&bytes).unwrap();
                assert_eq!(header.layout.sizes, shape.iter().map(|&size| size as u64).collect::<Vec<_>>());
                assert_eq!((header.start, header.dtype), (bytes.len() as u64, written_as(dtype)));
            }
        }
        fn written_as(dtype: DType) -> DType {
            if dtype == DType::BF16 { DType::F32 } else { dtype }
        }
    }

    #[test]
    fn what_is_no_array_of_numbers_is_refused_by_name() {
        let header = |dict: &str| {
            let length = (dict.len() as u16).to_le_bytes();
            Header::parse(&[MAGIC, &[1, 0], &length, dict.as_bytes()].concat()).unwrap_err()
        };
        for (dict, cause) in [
            ("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", "Python objects"),
            ("{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", "`c8`"),
            ("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }", "records"),
            ("{'descr': '<f4', 'fortran_order': 1, 'shape': (3,), }", "fortran_order"),
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", "`-3`"),
            (
                "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9), }",
                "beyond memory",
            ),
            ("{'descr': '<f4', 'shape': (3,), }", "fortran_order"),
        ] {
            assert!(header(dict).contains(cause), "{dict}: {}", header(dict));
        }
        assert!(Header::parse(b"\x93NUMPY\x09\x00..").unwrap_err().contains("version 9"));
        assert!(Header::parse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").unwrap_err().contains("at most"));
    }
}
