/// Reaction of a run to NaN.
///
/// With any of them, a checkpoint that would hold NaN is not saved, so that the good ones stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NanPolicy {
    /// The run ends with an error when a numeric metric or a checkpoint is NaN.
    #[default]
    Stop,
    /// The run goes on, and logs NaN.
    Continue,
    /// A batch whose gradients are infinite or NaN is neither learnt from nor measured. Metrics that are NaN
    /// otherwise, such as those of validation, end the run as with [`Stop`](Self::Stop). It waits for the
    /// device after every batch.
    Skip,
}
