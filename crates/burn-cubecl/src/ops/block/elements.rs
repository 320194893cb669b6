use super::program::{Program, ProgramStep, ScalarWords, read_scalars};
use super::step::Steps;
use super::value::KernelValue;
use super::vector::{self, Inner};
use crate::device::arithmetic::Abilities;
use crate::device::engine::Engine;
use crate::launch::kernel::{Body, Kernel, UNITS, launch_vectors};
use crate::launch::strides::{self, Merged, broadcast};
use crate::launch::tensor::{CubeTensor, require};
use burn_backend::*;
use cubecl::CubeDim;
use cubecl::ir::ManagedVariable;
use cubecl::prelude::{NativeExpand, SequenceExpand};

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

/// An elementwise program as it is compiled: a unit has as many neighbouring elements as it loads at once, or
/// several times as many.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Elements {
    steps: Vec<ProgramStep>,
    accesses: Vec<Access>,
    outputs: Vec<Register>,
    rank: usize,
    scalars: usize,
    width: usize,
    abilities: Abilities,
    /// Whether cubes are in a line.
    is_flat: bool,
    /// Vectors of a unit; more than one only where every unit has as many.
    each: usize,
}

/// Vectors from which a unit has several: with fewer there would not be enough units.
const MANY: usize = 1 << 20;
/// Vectors of a unit then, of which all loads are on their way before one is needed.
const EACH: usize = 2;
/// Units of a cube then: smaller cubes, since the last of them end sooner.
const FEW: u32 = UNITS / 2;

impl Access {
    /// Returns the vector width of the array elements.
    fn width(self, width: usize) -> usize {
        match self {
            Access::Linear | Access::Strided(Inner::Adjacent) => width,
            Access::Repeated | Access::Strided(_) => 1,
        }
    }
}

impl Kernel for Elements {
    const NAME: &'static str = "block";
    /// Offsets are those of views, which lie within their buffers.
    const CHECKED: bool = false;

    fn expand(&self, body: &mut Body) {
        let (rank, inputs) = (self.rank, self.accesses.len());
        let count = body.next_word();
        let sizes = body.next_words(rank);
        let views: Vec<_> = self
            .accesses
            .iter()
            .map(|access| {
                let start = body.next_word();
                let strides = matches!(access, Access::Strided(_)).then(|| body.next_words(rank));
                (start, strides)
            })
            .collect();
        let scalars = read_scalars(body, self.scalars);
        let arrays: Vec<_> =
            (0..inputs + self.outputs.len()).map(|at| (body.variable(at), body.dtype(at))).collect();
        let sources = Sources { views, sizes, arrays, scalars };
        if self.each > 1 {
            let mut steps = Steps { scope: &mut body.scope, abilities: self.abilities };
            let place = |at| strides::position_of_many::expand(steps.scope, FEW, self.each as u32, at);
            let places: Vec<_> = (0..self.each as u32).map(place).collect();
            return self.write(&mut steps, &sources, &places);
        }
        let at = if self.is_flat {
            strides::position_of_many::expand(&mut body.scope, UNITS, 1, 0)
        } else {
            strides::position::expand(&mut body.scope)
        };
        let inside = strides::is_below::expand(&mut body.scope, at.clone(), count);
        let mut steps = Steps { scope: &mut body.scope, abilities: self.abilities };
        steps.when(inside, |steps| self.write(steps, &sources, &[at]));
    }
}

/// Arrays and words of a launch, in the kernel.
struct Sources {
    /// By input, where it starts, and strides if it has some.
    views: Vec<(NativeExpand<u32>, Option<SequenceExpand<u32>>)>,
    sizes: SequenceExpand<u32>,
    /// Inputs first.
    arrays: Vec<(ManagedVariable, DType)>,
    scalars: Vec<ScalarWords>,
}

impl Elements {
    /// Computes and stores the vectors at these offsets.
    fn write(&self, steps: &mut Steps, sources: &Sources, places: &[NativeExpand<u32>]) {
        let mut pieces: Vec<_> = places.iter().map(|at| self.load(steps, sources, at)).collect();
        for (at, values) in places.iter().zip(&mut pieces) {
            for step in &self.steps {
                let width = step.operands().map(|r| values[r].len()).max().unwrap_or(1);
                let each = (0..width).map(|at| {
                    step.write(steps, &sources.scalars, |r| {
                        let list = &values[usize::from(r)];
                        &list[at % list.len()]
                    })
                });
                let result = each.collect();
                values.push(result);
            }
            for ((array, _), output) in sources.arrays[self.accesses.len()..].iter().zip(&self.outputs) {
                let list = values[usize::from(*output)].iter().cycle();
                let list: Vec<_> = list.take(self.width).cloned().collect();
                steps.store_vector(array, at.clone(), &list);
            }
        }
    }

    /// By register, the values of the inputs.
    fn load(&self, steps: &mut Steps, sources: &Sources, at: &NativeExpand<u32>) -> Vec<Vec<KernelValue>> {
        let mut values = Vec::new();
        for (((array, dtype), access), (start, strides)) in
            sources.arrays.iter().zip(&self.accesses).zip(&sources.views)
        {
            let index = match (access, strides) {
                (Access::Linear, _) => at.clone(),
                (Access::Strided(_), Some(strides)) => strides::place::expand(
                    steps.scope,
                    at.clone(),
                    sources.sizes.clone(),
                    strides.clone(),
                    start.clone(),
                ),
                (Access::Repeated | Access::Strided(_), _) => start.clone(),
            };
            values.push(steps.load_vector(array, *dtype, index, access.width(self.width)));
        }
        values
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
        let abilities = Abilities::of(engine);
        let Program { steps, outputs: results, scalars, .. } = self.suited_to(engine);
        let scalars = scalars.len();
        let vectors = count / width;
        let most = engine.max_cubes().0 as usize;
        let is_whole = vectors.is_multiple_of(EACH * UNITS as usize);
        let is_many = is_whole && (MANY..most * UNITS as usize).contains(&vectors);
        let (each, units) = if is_many { (EACH, FEW) } else { (1, UNITS) };
        let cubes = vectors.div_ceil(each * units as usize);
        let is_flat = cubes <= most;
        let kernel =
            Elements { steps, accesses, outputs: results, rank, scalars, width, abilities, is_flat, each };
        launch_vectors(kernel, inputs, outputs, widths, &words, cubes, CubeDim::new_1d(units));
    }
}
