/// Turns the output of a training or validation step into the input of a metric.
///
/// ```
/// use burn::train::metric::Adaptor;
///
/// struct Output { words: Vec<String> }
///
/// impl Adaptor<Vec<String>> for Output {
///     fn adapt(&self) -> Vec<String> {
///         self.words.clone()
///     }
/// }
/// # let output = Output { words: vec!["a".into()] };
/// # assert_eq!(Adaptor::<Vec<String>>::adapt(&output), ["a"]);
/// ```
#[diagnostic::on_unimplemented(
    message = "the output `{Self}` of the step does not give a metric its input `{T}`",
    note = "implement `Adaptor<{T}> for {Self}` with `fn adapt(&self) -> {T}`"
)]
pub trait Adaptor<T> {
    /// Makes the input of the metric.
    fn adapt(&self) -> T;
}

impl<T> Adaptor<()> for T {
    fn adapt(&self) {}
}
