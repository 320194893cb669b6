use burn_core::tensor::TensorError;

/// Elements added before and after each of the last `N` dimensions.
pub type Sides<const N: usize> = [(usize, usize); N];

/// Sliding windows over the last `N` dimensions.
#[derive(Clone, Copy)]
pub struct Windows<const N: usize> {
    pub kernel: [usize; N],
    pub stride: [usize; N],
    pub dilation: [usize; N],
}

impl<const N: usize> Windows<N> {
    /// Returns the number of elements that a window spans in dimension `d`.
    pub fn extent(&self, d: usize) -> usize {
        (self.dilation[d].saturating_mul(self.kernel[d].saturating_sub(1))).saturating_add(1)
    }

    /// Fails when a window is larger than the padded input.
    #[track_caller]
    pub fn check(&self, layer: &'static str, input: [usize; N], sides: &Sides<N>) -> Result<(), TensorError> {
        let padded: [usize; N] =
            core::array::from_fn(|d| input[d].saturating_add(sides[d].0).saturating_add(sides[d].1));
        let window: [usize; N] = core::array::from_fn(|d| self.extent(d));
        if padded.iter().zip(window).all(|(&padded, window)| window <= padded) {
            return Ok(());
        }
        let message = format_args!(
            "the window is larger than the padded input; expected at least {window:?}, got {padded:?} (unpadded \
             {input:?})"
        );
        Err(TensorError::argument(layer, message))
    }

    /// Returns the padding whose output has the size of the input, divided by the stride and rounded up.
    pub fn same(&self, input: [usize; N]) -> Sides<N> {
        core::array::from_fn(|d| {
            let stride = self.stride[d].max(1);
            let steps = input[d].div_ceil(stride).saturating_sub(1);
            let total = (steps * stride).saturating_add(self.extent(d)).saturating_sub(input[d]);
            (total / 2, total - total / 2)
        })
    }
}

/// Returns the padding as symmetric, if both sides are equal in every dimension.
pub fn symmetric<const N: usize>(sides: &Sides<N>) -> Option<[usize; N]> {
    let even = sides.iter().all(|(before, after)| before == after);
    even.then(|| sides.map(|(before, _)| before))
}
