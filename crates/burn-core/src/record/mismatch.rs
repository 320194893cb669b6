use crate::tensor::Shape;
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Display, Formatter, Result};

/// Maximum keys of a kind in a message; models have fewer, hostile files have millions.
const SHOWN: usize = 1000;

/// Differences between a record and the module it is loaded into, by path.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RecordMismatch {
    /// Keys missing from the record.
    pub missing: Vec<String>,
    /// Keys of the record that the module does not have.
    pub unexpected: Vec<String>,
    /// Tensors of another shape.
    pub shapes: Vec<ShapeMismatch>,
    /// Values of another type or out of range, as key and cause.
    pub values: Vec<(String, String)>,
}

/// A tensor of another shape than the one it was to be loaded into.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ShapeMismatch {
    pub key: String,
    pub expected: Shape,
    pub found: Shape,
}

impl RecordMismatch {
    pub fn is_empty(&self) -> bool {
        *self == RecordMismatch::default()
    }

    /// Returns the number of differences.
    pub(super) fn len(&self) -> usize {
        self.missing.len() + self.unexpected.len() + self.shapes.len() + self.values.len()
    }

    /// Merges the differences of `other`, without duplicates.
    pub fn merge(&mut self, other: RecordMismatch) {
        fn add<T, K: Ord + ?Sized>(list: &mut Vec<T>, other: Vec<T>, key: impl Fn(&T) -> &K) {
            let known: BTreeSet<&K> = list.iter().map(&key).collect();
            let is_new: Vec<bool> = other.iter().map(|item| !known.contains(key(item))).collect();
            let new = other.into_iter().zip(is_new).filter(|(_, is_new)| *is_new);
            list.extend(new.map(|(item, _)| item));
        }
        add(&mut self.missing, other.missing, |key| key.as_str());
        add(&mut self.unexpected, other.unexpected, |key| key.as_str());
        add(&mut self.shapes, other.shapes, |shape| shape.key.as_str());
        add(&mut self.values, other.values, |value| value);
    }

    /// Creates the mismatch for a tensor `key` of another shape.
    pub fn shape(key: String, expected: Shape, found: Shape) -> Self {
        RecordMismatch { shapes: [ShapeMismatch { key, expected, found }].into(), ..Self::default() }
    }
}

impl Display for RecordMismatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str("the record does not fit")?;
        self.fmt_differences(f)
    }
}

impl RecordMismatch {
    /// Writes a line for each kind of difference that there is.
    pub(crate) fn fmt_differences(&self, f: &mut Formatter<'_>) -> Result {
        for (list, name) in [(&self.missing, "missing"), (&self.unexpected, "unexpected")] {
            let shown = &list[..list.len().min(SHOWN)];
            if !shown.is_empty() {
                write!(f, "\n  {name}: {}", shown.join(", "))?;
            }
            if list.len() > shown.len() {
                write!(f, " and {} more", list.len() - shown.len())?;
            }
        }
        for ShapeMismatch { key, expected, found } in &self.shapes {
            write!(f, "\n  shape of {key}: expected {expected:?}, found {found:?}")?;
        }
        for (key, cause) in self.values.iter().take(SHOWN) {
            write!(f, "\n  {key}: {cause}")?;
        }
        match self.values.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n  {more} more values"),
        }
    }
}
