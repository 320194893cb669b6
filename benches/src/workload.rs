//! One piece of work, and who does it.

use crate::clock::Batch;
use crate::report::{Measured, Row};
use crate::torch::Torch;

/// Measures one batch: nanoseconds per call.
type Measure<'a> = Box<dyn FnMut() -> Result<f64, String> + 'a>;

/// Who does the work: a backend of this project or a baseline.
struct Contender<'a> {
    name: &'static str,
    measure: Box<dyn FnOnce() -> Measure<'a> + 'a>,
}

/// The same work for several contenders; the first one is what the others are compared with.
pub(crate) struct Workload<'a> {
    pub(crate) name: &'static str,
    contenders: Vec<Contender<'a>>,
}

impl<'a> Workload<'a> {
    pub(crate) fn new(name: &'static str) -> Self {
        Workload { name, contenders: Vec::new() }
    }

    /// Adds a contender of this process. `prepare` makes the call that is timed.
    pub(crate) fn with<F: FnMut() + 'a>(
        mut self,
        name: &'static str,
        prepare: impl FnOnce() -> F + 'a,
    ) -> Self {
        let measure = Box::new(move || {
            let mut batch = Batch::new(prepare());
            Box::new(move || Ok(batch.nanoseconds())) as Measure<'a>
        });
        self.contenders.push(Contender { name, measure });
        self
    }

    /// Adds PyTorch, which knows the workload by its name.
    pub(crate) fn with_torch(mut self, torch: Option<&'a Torch>) -> Self {
        let name = self.name;
        if let Some(torch) = torch {
            let measure = Box::new(move || Box::new(move || torch.nanoseconds(name)) as Measure<'a>);
            self.contenders.push(Contender { name: "PyTorch", measure });
        }
        self
    }

    /// Lets the contenders take turns, so that what else the machine does falls on all of them.
    pub(crate) fn measure(self, rounds: usize) -> Result<Measured, String> {
        let names: Vec<&str> = self.contenders.iter().map(|contender| contender.name).collect();
        let mut measures: Vec<Measure> =
            self.contenders.into_iter().map(|contender| (contender.measure)()).collect();
        let mut times = vec![Vec::with_capacity(rounds); measures.len()];
        for measure in &mut measures {
            measure()?;
        }
        for _ in 0..rounds {
            for (measure, times) in measures.iter_mut().zip(&mut times) {
                times.push(measure()?);
            }
        }
        let rows = names.iter().zip(times).map(|(name, times)| Row::of(name, times)).collect();
        Ok(Measured { workload: self.name.to_string(), rows })
    }
}
