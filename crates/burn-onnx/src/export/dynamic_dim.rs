/// Dimension whose size the exported model leaves open: its name, and the number that its sizes are multiples
/// of.
///
/// ```
/// use burn_onnx::export::DynamicDim;
///
/// // The height of an image that a network halves three times.
/// let height = DynamicDim::new("height").multiple_of(8);
/// assert_eq!(DynamicDim::from("batch"), DynamicDim::new("batch"));
/// # let _ = height;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DynamicDim {
    pub(super) name: String,
    pub(super) multiple: usize,
}

impl DynamicDim {
    /// Makes a dimension of any size. Dimensions of the same name have the same size.
    pub fn new(name: impl Into<String>) -> Self {
        DynamicDim { name: name.into(), multiple: 1 }
    }

    /// Sets the number that the sizes are multiples of: the forward pass is recorded with such sizes only.
    #[must_use]
    pub fn multiple_of(self, multiple: usize) -> Self {
        DynamicDim { multiple: multiple.max(1), ..self }
    }

    /// The sizes that the forward pass is recorded with: two to find out how numbers depend on the size, and
    /// one to check that.
    ///
    /// Size 1 is none of them, because it broadcasts. A sample is made smaller, by less than half, because a
    /// model may have a largest size; a small one is made larger.
    pub(super) fn sizes(&self, sample: usize) -> [usize; 3] {
        let step = self.multiple;
        let first = sample.max(2).next_multiple_of(step);
        if sample == first && first >= 4 * step + 2 {
            return [first, first - step, first - 2 * step];
        }
        [first, first + step, first + 2 * step]
    }
}

impl From<&str> for DynamicDim {
    fn from(name: &str) -> Self {
        DynamicDim::new(name)
    }
}

impl From<String> for DynamicDim {
    fn from(name: String) -> Self {
        DynamicDim::new(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_multiples_and_never_one() {
        assert_eq!(DynamicDim::new("batch").sizes(1), [2, 3, 4]);
        assert_eq!(DynamicDim::new("batch").sizes(8), [8, 7, 6]);
        assert_eq!(DynamicDim::new("height").multiple_of(8).sizes(16), [16, 24, 32]);
        assert_eq!(DynamicDim::new("height").multiple_of(8).sizes(64), [64, 56, 48]);
        assert_eq!(DynamicDim::new("height").multiple_of(8).sizes(3), [8, 16, 24]);
    }
}
