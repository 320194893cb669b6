use std::sync::atomic::{AtomicBool, Ordering};

static TF32: AtomicBool = AtomicBool::new(false);

/// Sets whether matrix products and convolutions of `f32` may round their operands to TF32 (10 bits of
/// mantissa), which is several times faster.
///
/// They may not unless this says so, as in PyTorch (`torch.backends.cuda.matmul.allow_tf32`); there
/// convolutions have a switch of their own, which is on.
pub fn allow_tf32(allow: bool) {
    TF32.store(allow, Ordering::Relaxed);
}

/// Returns whether TF32 is allowed, as set by [`allow_tf32`].
pub fn is_tf32_allowed() -> bool {
    TF32.load(Ordering::Relaxed)
}
