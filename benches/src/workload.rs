//! One piece of work, and who does it.

use crate::clock::Batch;
use crate::report::{Measured, Row};
use crate::torch::Torch;

/// One batch of calls that can be run again and again.
trait Repeat {
    /// Nanoseconds per call of one batch.
    fn nanoseconds(&mut self) -> Result<f64, String>;
    /// New blocks of memory per call, where they can be counted.
    fn allocations(&mut self) -> Option<f64>;
}

impl<F: FnMut()> Repeat for Batch<F> {
    fn nanoseconds(&mut self) -> Result<f64, String> {
        Ok(Batch::nanoseconds(self))
    }
    fn allocations(&mut self) -> Option<f64> {
        Some(Batch::allocations(self))
    }
}

/// A workload in the process of PyTorch.
struct InTorch<'a> {
    torch: &'a Torch,
    workload: &'static str,
}

impl Repeat for InTorch<'_> {
    fn nanoseconds(&mut self) -> Result<f64, String> {
        self.torch.nanoseconds(self.workload)
    }
    fn allocations(&mut self) -> Option<f64> {
        None
    }
}

/// Who does the work: a backend of this project or a baseline.
struct Contender<'a> {
    name: &'static str,
    prepare: Box<dyn FnOnce() -> Box<dyn Repeat + 'a> + 'a>,
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
        let prepare = Box::new(|| Box::new(Batch::new(prepare())) as Box<dyn Repeat + 'a>);
        self.contenders.push(Contender { name, prepare });
        self
    }

    /// Adds PyTorch, which knows the workload by its name.
    pub(crate) fn with_torch(mut self, torch: Option<&'a Torch>) -> Self {
        let workload = self.name;
        if let Some(torch) = torch {
            let prepare = Box::new(move || Box::new(InTorch { torch, workload }) as Box<dyn Repeat + 'a>);
            self.contenders.push(Contender { name: "PyTorch", prepare });
        }
        self
    }

    /// Lets the contenders take turns, so that what else the machine does falls on all of them.
    pub(crate) fn measure(self, rounds: usize) -> Result<Measured, String> {
        let mut contenders: Vec<_> =
            self.contenders.into_iter().map(|contender| (contender.name, (contender.prepare)())).collect();
        let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
        for (_, repeat) in &mut contenders {
            repeat.nanoseconds()?;
        }
        for _ in 0..rounds {
            for ((_, repeat), times) in contenders.iter_mut().zip(&mut times) {
                times.push(repeat.nanoseconds()?);
            }
        }
        let rows = contenders.iter_mut().zip(times);
        let rows = rows.map(|((name, repeat), times)| Row::of(name, times, repeat.allocations())).collect();
        Ok(Measured { workload: self.name.to_string(), rows })
    }
}
