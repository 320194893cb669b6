use super::program::{Program, Step};
use super::step::Steps;
use super::vector::{self, Inner};
use crate::engine::Engine;
use crate::kernel::{Body, Kernel, UNITS, launch_vectors};
use crate::strides::{self, Merged, broadcast};
use crate::tensor::{CubeTensor, require};
use burn_backend::*;
use cubecl::CubeDim;

/// How an input is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Access {
    /// Element by element from the start of the buffer.
    Linear,
    /// One element for all.
    Repeated,
    /// By strides: adjacent elements as one vector, or one for all of them.
    Strided(Inner),
}

/// An elementwise program as it is compiled: a unit has as many neighbouring elements as it loads at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Elements {
    steps: Vec<Step>,
    accesses: Vec<Access>,
    outputs: Vec<Register>,
    rank: usize,
    scalars: usize,
    width: usize,
    is_wide: bool,
}

impl Access {
    /// Of the elements of the array.
    fn width(self, width: usize) -> usize {
        match self {
            Access::Linear | Access::Strided(Inner::Adjacent) => width,
            Access::Repeated | Access::Strided(_) => 1,
        }
    }
}

impl Kernel for Elements {
    const NAME: &'static str = "block";

    fn expand(&self, body: &mut Body) {
        let (rank, inputs) = (self.rank, self.accesses.len());
        let count = body.word(0);
        let sizes = body.words(1, rank);
        let mut next = 1 + rank;
        let views: Vec<_> = self
            .accesses
            .iter()
            .map(|access| {
                let start = body.word(next);
                next += 1;
                let strides = matches!(access, Access::Strided(_)).then(|| {
                    next += rank;
                    body.words(next - rank, rank)
                });
                (start, strides)
            })
            .collect();
        let scalars: Vec<_> =
            (0..self.scalars).map(|k| (body.word(next + 2 * k), body.word(next + 2 * k + 1))).collect();
        let arrays: Vec<_> =
            (0..inputs + self.outputs.len()).map(|at| (body.variable(at), body.dtype(at))).collect();
        let at = strides::position::expand(&mut body.scope);
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        let mut steps = Steps { scope: &mut body.scope, is_wide: self.is_wide };
        steps.when(inside, |steps| {
            // By register, its values.
            let mut values = Vec::new();
            for (((array, dtype), access), (start, strides)) in arrays.iter().zip(&self.accesses).zip(&views)
            {
                let index = match (access, strides) {
                    (Access::Linear, _) => at.clone(),
                    (Access::Strided(_), Some(strides)) => strides::place::expand(
                        steps.scope,
                        at.clone(),
                        sizes.clone(),
                        strides.clone(),
                        start.clone(),
                    ),
                    (Access::Repeated | Access::Strided(_), _) => start.clone(),
                };
                values.push(steps.load_vector(array, *dtype, index, access.width(self.width)));
            }
            for step in &self.steps {
                let width = step.operands().map(|r| values[r].len()).max().unwrap_or(1);
                let each = (0..width).map(|at| {
                    step.write(steps, &scalars, |r| {
                        let list = &values[usize::from(r)];
                        &list[at % list.len()]
                    })
                });
                let result = each.collect();
                values.push(result);
            }
            for ((array, _), output) in arrays[inputs..].iter().zip(&self.outputs) {
                let list = values[usize::from(*output)].iter().cycle();
                let list: Vec<_> = list.take(self.width).cloned().collect();
                steps.store_vector(array, at.clone(), &list);
            }
        });
    }
}

impl Program {
    /// The results of elementwise steps, of these specs, whose shapes are `shape`.
    pub fn run(
        self,
        shape: &Shape,
        inputs: &[&CubeTensor],
        specs: Vec<TensorSpec>,
        engine: &'static dyn Engine,
    ) -> Vec<CubeTensor> {
        specs.iter().for_each(|spec| require(engine, spec.dtype));
        let outputs: Vec<CubeTensor> =
            specs.into_iter().map(|spec| CubeTensor::empty(spec, engine)).collect();
        let places: Vec<&CubeTensor> = outputs.iter().collect();
        self.run_into(shape, inputs, &places);
        outputs
    }

    /// The results in `outputs`, which are contiguous.
    pub fn run_into(self, shape: &Shape, inputs: &[&CubeTensor], outputs: &[&CubeTensor]) {
        let count = shape.num_elements();
        if count == 0 {
            return;
        }
        let engine = outputs[0].engine();
        let views: Vec<Dims> = inputs.iter().map(|x| broadcast(x, shape)).collect();
        let mut merged = Merged::new(shape, &views);
        if merged.rank() == 0 || inputs.is_empty() {
            merged = Merged { sizes: vec![count], strides: vec![vec![0]; inputs.len()] };
        }
        let offsets: Vec<usize> = inputs.iter().map(|x| x.offset()).collect();
        let dtypes = inputs.iter().chain(outputs).map(|x| x.dtype());
        let width = vector::width(engine, dtypes, &merged, &offsets);
        let access = |(strides, offset): (&Vec<usize>, &usize)| {
            if strides.iter().all(|&stride| stride == 0) {
                Access::Repeated
            } else if strides[..] == [1] && *offset == 0 {
                Access::Linear
            } else {
                Access::Strided(if width == 1 { Inner::Apart } else { Inner::of(strides) })
            }
        };
        let accesses: Vec<Access> = merged.strides.iter().zip(&offsets).map(access).collect();
        let is_strided = accesses.iter().any(|access| matches!(access, Access::Strided(_)));
        let rank = if is_strided { merged.rank() } else { 0 };
        let mut words: Vec<u32> = strides::words(&[count / width]).collect();
        words.extend(strides::words(&vector::sizes(&merged, width)[..rank]));
        for ((strides, offset), access) in merged.strides.iter().zip(&offsets).zip(&accesses) {
            let (strides, start) = vector::places(strides, *offset, access.width(width));
            words.extend(strides::words(&[start]));
            if matches!(access, Access::Strided(_)) {
                words.extend(strides::words(&strides));
            }
        }
        words.extend(self.scalars.iter().flatten());
        let widths = accesses.iter().map(|access| access.width(width));
        let widths = widths.chain(outputs.iter().map(|_| width)).collect();
        let is_wide = engine.has(DType::I64);
        let Program { steps, outputs: results, scalars, .. } = self;
        let scalars = scalars.len();
        let kernel = Elements { steps, accesses, outputs: results, rank, scalars, width, is_wide };
        let cubes = (count / width).div_ceil(UNITS as usize);
        launch_vectors(kernel, inputs, outputs, widths, &words, cubes, CubeDim::new_1d(UNITS));
    }
}
