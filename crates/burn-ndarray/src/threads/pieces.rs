use core::ops::Range;

/// Ranges that one thread takes, one after the other.
pub type Pieces<'a> = &'a mut dyn Iterator<Item = Range<usize>>;
