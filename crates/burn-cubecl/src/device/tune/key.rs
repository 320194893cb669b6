use super::mode::Autotune;
use burn_backend::{DType, Dims};
use std::borrow::Cow;
use std::fmt;

/// Key of an autotune result: calls of one key have the same fastest kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Name of the operation, or of the library and the operation.
    pub operation: &'static str,
    pub dtype: DType,
    /// Memory layout of the operands, in a word.
    pub layout: Cow<'static, str>,
    /// Sizes of the call, as [`Key::bucket`] rounds them.
    pub sizes: Dims,
}

impl Key {
    /// Returns the bucket of `size`: the next power of two, or at most an eighth more in [`Autotune::Full`].
    pub fn bucket(size: usize, mode: Autotune) -> usize {
        let whole = size.next_power_of_two();
        match mode {
            Autotune::Full => size.next_multiple_of((whole / 16).max(1)),
            Autotune::Off | Autotune::Min => whole,
        }
    }
}

/// `matmul f32 rows-columns 1 512 512 64`, which is its name in files.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.operation, self.dtype, self.layout)?;
        self.sizes.iter().try_for_each(|size| write!(f, " {size}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_up_to_buckets() {
        let by = |mode| [1, 2, 3, 17, 64, 65, 1000, 1024, 1025].map(|size| Key::bucket(size, mode));
        assert_eq!(by(Autotune::Min), [1, 2, 4, 32, 64, 128, 1024, 1024, 2048]);
        assert_eq!(by(Autotune::Full), [1, 2, 3, 18, 64, 72, 1024, 1024, 1152]);
        for size in 1..5000 {
            let bucket = Key::bucket(size, Autotune::Full);
            assert!(bucket >= size && (bucket - size) * 8 <= size, "{size} in {bucket}");
            assert_eq!(Key::bucket(bucket, Autotune::Full), bucket, "{size} in {bucket}");
        }
    }

    #[test]
    fn a_key_has_a_name() {
        let (layout, sizes) = ("rows-columns".into(), [1, 512, 512, 64].into());
        let key = Key { operation: "matmul", dtype: DType::F32, layout, sizes };
        assert_eq!(key.to_string(), "matmul f32 rows-columns 1 512 512 64");
    }
}
