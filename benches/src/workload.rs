//! One piece of work, and who does it.

use crate::clock::Batch;
use crate::memory::Peak;
use crate::report::{CANDLE, COMPILED, Measured, ONNXRUNTIME, PYTORCH, Row, Unit};
use crate::torch::{Mode, Torch};
use std::process::Command;
use std::time::{Duration, Instant};

/// How long the turns of one workload may take together.
const PATIENCE: Duration = Duration::from_millis(3500);

/// Minimum number of rounds, even for long workloads.
const FEWEST_ROUNDS: usize = 5;

/// Work that can be measured again and again.
trait Repeat {
    /// The figure, in the unit of the workload.
    fn measure(&mut self) -> Result<f64, String>;
    /// New blocks of memory per call, where they can be counted.
    fn allocations(&mut self) -> Option<f64> {
        None
    }
    /// Nanoseconds of processors per call of the last measurement, where they are counted.
    fn processor(&self) -> Option<f64> {
        None
    }
}

impl<F: FnMut()> Repeat for Batch<F> {
    fn measure(&mut self) -> Result<f64, String> {
        Ok(self.nanoseconds())
    }
    fn allocations(&mut self) -> Option<f64> {
        Some(Batch::allocations(self))
    }
}

/// A workload in the process of PyTorch.
struct InTorch {
    torch: Torch,
    workload: &'static str,
    mode: Mode,
}

impl Repeat for InTorch {
    fn measure(&mut self) -> Result<f64, String> {
        self.torch.nanoseconds(self.workload, self.mode)
    }
}

/// A model in the process of onnxruntime.
struct InOnnxRuntime {
    process: Torch,
    workload: &'static str,
    processor: Option<f64>,
}

impl Repeat for InOnnxRuntime {
    fn measure(&mut self) -> Result<f64, String> {
        let (nanoseconds, processor) = self.process.times(self.workload, Mode::Eager)?;
        self.processor = processor;
        Ok(nanoseconds)
    }
    fn processor(&self) -> Option<f64> {
        self.processor
    }
}

/// Work whose processor time counts too.
struct OnProcessors<F> {
    batch: Batch<F>,
    processor: Option<f64>,
}

impl<F: FnMut()> Repeat for OnProcessors<F> {
    fn measure(&mut self) -> Result<f64, String> {
        let (nanoseconds, processor) = self.batch.times();
        self.processor = Some(processor);
        Ok(nanoseconds)
    }
    fn allocations(&mut self) -> Option<f64> {
        Some(self.batch.allocations())
    }
    fn processor(&self) -> Option<f64> {
        self.processor
    }
}

impl Repeat for Peak {
    fn measure(&mut self) -> Result<f64, String> {
        self.bytes()
    }
}

/// Makes the work ready, warm.
type Prepare = Box<dyn FnOnce() -> Result<Box<dyn Repeat>, String>>;

/// Implementation under measurement: a backend of this project or a baseline.
struct Contender {
    name: &'static str,
    at_most: Option<f64>,
    prepare: Prepare,
}

/// The same work for several contenders.
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    unit: Unit,
    compiled: bool,
    /// Whether the work is an exported model, whose baseline is onnxruntime.
    is_model: bool,
    contenders: Vec<Contender>,
}

impl Workload {
    pub(crate) fn new(name: &'static str) -> Self {
        Workload { name, unit: Unit::Nanoseconds, compiled: false, is_model: false, contenders: Vec::new() }
    }

    /// Not a time, but the most memory that 50 calls of the workload `of` take, in a process of their own.
    pub(crate) fn memory(name: &'static str, of: &'static str) -> Self {
        let workload =
            Workload { name, unit: Unit::Bytes, compiled: false, is_model: false, contenders: Vec::new() };
        workload.with_prepared("NdArray", move || {
            let program = std::env::current_exe().map_err(|cause| cause.to_string())?;
            let mut command = Command::new(program);
            command.args(["--memory", of]);
            Ok(Box::new(Peak::new(command)) as Box<dyn Repeat>)
        })
    }

    fn with_prepared(
        mut self,
        name: &'static str,
        prepare: impl FnOnce() -> Result<Box<dyn Repeat>, String> + 'static,
    ) -> Self {
        self.contenders.push(Contender { name, at_most: None, prepare: Box::new(prepare) });
        self
    }

    /// Adds a contender of this process. `prepare` makes the call that is timed.
    pub(crate) fn with<F: FnMut() + 'static>(
        self,
        name: &'static str,
        prepare: impl FnOnce() -> F + 'static,
    ) -> Self {
        self.with_prepared(name, || Ok(Box::new(Batch::new(prepare())) as Box<dyn Repeat>))
    }

    /// An exported model, which onnxruntime runs too. `prepare` loads it and makes the call that is timed.
    pub(crate) fn model<F: FnMut() + 'static>(
        name: &'static str,
        contenders: impl IntoIterator<Item = (&'static str, fn(&'static str) -> Result<F, String>)>,
    ) -> Self {
        let workload = Workload { is_model: true, ..Workload::new(name) };
        contenders.into_iter().fold(workload, |workload, (who, prepare)| workload.with_model(who, prepare))
    }

    /// Adds a contender that runs the model of this workload.
    pub(crate) fn with_model<F: FnMut() + 'static>(
        self,
        who: &'static str,
        prepare: impl FnOnce(&'static str) -> Result<F, String> + 'static,
    ) -> Self {
        let name = self.name;
        self.with_prepared(who, move || {
            let batch = Batch::new(prepare(name)?);
            Ok(Box::new(OnProcessors { batch, processor: None }) as Box<dyn Repeat>)
        })
    }

    /// Whether the work is an exported model.
    pub(crate) fn is_model(&self) -> bool {
        self.is_model
    }

    /// Whether it has a time, which baselines measure under its name.
    #[cfg(test)]
    pub(crate) fn is_timed(&self) -> bool {
        self.unit == Unit::Nanoseconds
    }

    /// The target of the contender that was added last: a ratio to PyTorch's time, or bytes.
    pub(crate) fn at_most(mut self, bar: f64) -> Self {
        self.contenders.last_mut().expect("a bar is somebody's").at_most = Some(bar);
        self
    }

    /// `torch.compile` is a baseline too.
    pub(crate) fn compiled(mut self) -> Self {
        self.compiled = true;
        self
    }

    /// Adds PyTorch, which knows the workload by its name.
    pub(crate) fn against_torch(self, torch: &Torch) -> Self {
        if self.is_model {
            return self;
        }
        let (workload, compiled) = (self.name, self.compiled);
        if self.unit == Unit::Bytes {
            let command = torch.memory("guide step");
            return self.with_prepared(PYTORCH, || Ok(Box::new(Peak::new(command)) as Box<dyn Repeat>));
        }
        let modes = [(PYTORCH, Mode::Eager), (COMPILED, Mode::Compiled)];
        modes.into_iter().take(1 + usize::from(compiled)).fold(self, |all, (name, mode)| {
            let mut repeat = InTorch { torch: torch.clone(), workload, mode };
            all.with_prepared(name, move || {
                repeat.measure()?;
                Ok(Box::new(repeat) as Box<dyn Repeat>)
            })
        })
    }

    /// Adds onnxruntime, if the work is an exported model.
    pub(crate) fn against_onnxruntime(self, process: &Torch) -> Self {
        if !self.is_model {
            return self;
        }
        let mut repeat = InOnnxRuntime { process: process.clone(), workload: self.name, processor: None };
        self.with_prepared(ONNXRUNTIME, move || {
            repeat.measure()?;
            Ok(Box::new(repeat) as Box<dyn Repeat>)
        })
    }

    /// Adds candle, where it does this work, and the backend over it beside.
    pub(crate) fn against_candle(self) -> Self {
        let leaf = match crate::workloads::on_candle(self.name) {
            Some(prepare) => self.with("Candle", prepare),
            None => self,
        };
        match crate::candle::work(leaf.name) {
            Some(prepare) => leaf.with(CANDLE, prepare),
            None => leaf,
        }
    }

    /// Adds the backend over LibTorch, and `tch` without it, where they do this work.
    pub(crate) fn against_libtorch(self) -> Self {
        let leaf = match crate::workloads::on_libtorch(self.name) {
            Some(prepare) => self.with("LibTorch", prepare),
            None => self,
        };
        match crate::workloads::by_tch(leaf.name) {
            Some(prepare) => leaf.with("tch", prepare),
            None => leaf,
        }
    }

    /// Lets the contenders take turns, so that what else the machine does falls on all of them.
    pub(crate) fn measure(self, rounds: usize) -> Result<Measured, String> {
        let mut contenders = Vec::with_capacity(self.contenders.len());
        for contender in self.contenders {
            contenders.push((contender.name, contender.at_most, (contender.prepare)()?));
        }
        let rounds = match self.unit {
            Unit::Bytes => 1,
            Unit::Nanoseconds => {
                let start = Instant::now();
                for (_, _, repeat) in &mut contenders {
                    repeat.measure()?;
                }
                rounds_for(start.elapsed(), rounds)
            }
        };
        let mut figures = vec![(Vec::with_capacity(rounds), Vec::new()); contenders.len()];
        for _ in 0..rounds {
            for ((_, _, repeat), (figures, processor)) in contenders.iter_mut().zip(&mut figures) {
                figures.push(repeat.measure()?);
                processor.extend(repeat.processor());
            }
        }
        let rows =
            contenders.iter_mut().zip(figures).map(|((name, at_most, repeat), (figures, mut times))| {
                times.sort_by(f64::total_cmp);
                Row {
                    at_most: *at_most,
                    allocations: repeat.allocations(),
                    processor: times.get(times.len() / 2).copied(),
                    ..Row::of(name, figures)
                }
            });
        Ok(Measured { workload: self.name.to_string(), unit: self.unit, rows: rows.collect() })
    }
}

/// As many turns as fit, between [`FEWEST_ROUNDS`] and `most`, when one takes `round`.
fn rounds_for(round: Duration, most: usize) -> usize {
    let fitting = (PATIENCE.as_secs_f64() / round.as_secs_f64()) as usize;
    fitting.clamp(FEWEST_ROUNDS.min(most), most)
}

#[cfg(test)]
mod tests {
    use super::rounds_for;
    use std::time::Duration;

    #[test]
    fn long_workloads_take_fewer_turns() {
        let rounds = |milliseconds| rounds_for(Duration::from_millis(milliseconds), 15);
        assert_eq!([rounds(10), rounds(500), rounds(5000)], [15, 7, 5]);
        assert_eq!(rounds_for(Duration::from_millis(10), 1), 1);
    }
}
