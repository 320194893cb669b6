use std::time::Duration;

/// A call on tensors of its own, which every candidate can compute. It is made and used by the thread that
/// measures.
pub trait Trial {
    /// How long `candidate` takes for so many calls.
    ///
    /// # Errors
    /// Why it cannot compute the call.
    fn time(&mut self, candidate: usize, calls: u32) -> Result<Duration, String>;
}

/// Makes a call to measure, on the thread that does.
pub type MakeTrial = Box<dyn FnOnce() -> Box<dyn Trial> + Send>;
