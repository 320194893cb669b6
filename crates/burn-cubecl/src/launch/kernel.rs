//! Kernels without a runtime in their type: what they are is compiled here, and only the launch in the crates
//! of the runtimes.

use crate::device::engine::Engine;
pub use crate::launch::body::{A, B, Body, C, D};
use crate::launch::element::storage;
use crate::launch::erased::Erased;
use crate::launch::plane_units::{PLANE, PlaneUnits, has_planes};
use crate::launch::tensor::CubeTensor;
use burn_backend::{DType, HasSpec, kernels};
use cubecl::ir::{ElemType, ManagedVariable, Scope, StorageType, Type, UIntKind};
use cubecl::prelude::*;
use cubecl::server::{Handle, KernelArguments};
use cubecl::{CubeCount, CubeDim, InfoBuilder, KernelSettings};
use std::fmt::Debug;
use std::hash::Hash;

/// A kind of kernel with everything that is known when it is compiled: two that are equal are compiled once.
pub trait Kernel: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    /// Name of the entry point, in profiles.
    const NAME: &'static str;

    /// Whether an index may be out of range, and is looked at before a load and a store.
    const CHECKED: bool = true;

    /// Returns the kernel's name in the profile of a call.
    fn title(&self) -> String {
        Self::NAME.to_string()
    }

    /// Writes the body.
    fn expand(&self, body: &mut Body);
}

/// Key of a compiled kernel in the cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key<K> {
    kernel: K,
    inputs: Vec<DType>,
    outputs: Vec<DType>,
    /// Vector width of each array, in elements.
    widths: Vec<usize>,
    words: usize,
    /// As in [`has_planes`].
    planes: bool,
}

struct Compiled<K> {
    key: Key<K>,
    units: CubeDim,
}

impl<K: Kernel> KernelMetadata for Compiled<K> {
    fn name(&self) -> &'static str {
        K::NAME
    }
    fn id(&self) -> KernelId {
        KernelId::new::<K>().info(self.key.clone()).cube_dim(self.units)
    }
    fn address_type(&self) -> StorageType {
        AddressType::U32.unsigned_type()
    }
}

impl<K: Kernel> CubeKernel for Compiled<K> {
    fn define(&self) -> KernelDefinition {
        let mut builder = KernelBuilder::default();
        AddressType::U32.register(&mut builder.scope);
        let Key { kernel, inputs, outputs, widths, words, planes } = &self.key;
        if *planes {
            builder.scope.register_size::<PlaneUnits>(PLANE as usize);
        }
        let elements: Vec<Type> = inputs
            .iter()
            .chain(outputs)
            .zip(widths)
            .map(|(&dtype, &width)| Type::new(storage(dtype)).with_vector_size(width))
            .collect();
        let (read, written) = elements.split_at(inputs.len());
        let mut arrays: Vec<ManagedVariable> = read.iter().map(|&ty| builder.input_array(ty)).collect();
        arrays.extend(written.iter().map(|&ty| builder.output_array(ty)));
        let word = StorageType::Scalar(ElemType::UInt(UIntKind::U32));
        let words: Vec<ManagedVariable> = (0..*words).map(|_| builder.scalar(word)).collect();
        let scope = std::mem::replace(&mut builder.scope, Scope::root(false));
        let dtypes: Vec<DType> = inputs.iter().chain(outputs).copied().collect();
        let mut body = Body { scope, arrays, dtypes, words: words.into_iter() };
        let names = [Body::name::<A>, Body::name::<B>, Body::name::<C>, Body::name::<D>];
        names.iter().take(body.dtypes.len()).enumerate().for_each(|(at, name)| name(&mut body, at));
        kernel.expand(&mut body);
        assert_eq!(body.words.len(), 0, "{}: words of the launch that the kernel does not read", K::NAME);
        builder.scope = body.scope;
        builder.build(KernelSettings::default().cube_dim(self.units).kernel_name(K::NAME))
    }
}

/// Units of a cube, where each unit works alone.
pub const UNITS: u32 = 256;

/// Runs a kernel whose units work alone, at least `count` of them.
pub fn launch<K: Kernel>(
    kernel: K,
    inputs: &[&CubeTensor],
    outputs: &[&CubeTensor],
    words: &[u32],
    count: usize,
) {
    if count == 0 {
        return;
    }
    let cubes = count.div_ceil(UNITS as usize);
    launch_cubes(kernel, inputs, outputs, words, cubes, CubeDim::new_1d(UNITS));
}

/// Runs a kernel whose units work together in cubes, at least `cubes` of them: kernels look at their
/// position.
pub fn launch_cubes<K: Kernel>(
    kernel: K,
    inputs: &[&CubeTensor],
    outputs: &[&CubeTensor],
    words: &[u32],
    cubes: usize,
    units: CubeDim,
) {
    let widths = vec![1; inputs.len() + outputs.len()];
    launch_vectors(kernel, inputs, outputs, widths, words, cubes, units);
}

/// As [`launch_cubes`], where the elements of arrays, inputs first, are vectors of so many numbers.
pub fn launch_vectors<K: Kernel>(
    kernel: K,
    inputs: &[&CubeTensor],
    outputs: &[&CubeTensor],
    widths: Vec<usize>,
    words: &[u32],
    cubes: usize,
    units: CubeDim,
) {
    let engine: &'static dyn Engine = outputs[0].engine();
    kernels::ran(|| kernel.title());
    let arrays = inputs.iter().chain(outputs);
    let arrays: Vec<_> = arrays.map(|tensor| (tensor.handle(), tensor.dtype())).collect();
    let (read, written) = arrays.split_at(inputs.len());
    launch_on(engine, kernel, [read, written], widths, words, cubes, units);
}

/// As [`launch_vectors`], on buffers of a device: those that are read, and those that are written.
pub fn launch_on<K: Kernel>(
    engine: &dyn Engine,
    kernel: K,
    arrays: [&[(&Handle, DType)]; 2],
    widths: Vec<usize>,
    words: &[u32],
    cubes: usize,
    units: CubeDim,
) {
    let mut info = InfoBuilder::default();
    let mut arguments = KernelArguments::new();
    for (&(handle, dtype), width) in arrays.iter().copied().flatten().zip(&widths) {
        let size = storage(dtype).size() * width;
        let len = handle.size_in_used() / size as u64;
        info.metadata.register_array(len, len, AddressType::U32);
        arguments.buffers.push(handle.clone().binding());
    }
    words.iter().for_each(|&word| info.scalars.push(word));
    arguments.info = info.finish(AddressType::U32);
    let [inputs, outputs] = arrays.map(|arrays| arrays.iter().map(|&(_, dtype)| dtype).collect());
    let planes = has_planes(engine);
    let key = Key { kernel, inputs, outputs, widths, words: words.len(), planes };
    let kernel = Erased::new(Compiled { key, units }, K::CHECKED);
    engine.launch(kernel, count_of(engine, cubes), arguments);
}

/// Returns a cube count of at least `cubes`, in as many dimensions as needed.
fn count_of(engine: &dyn Engine, cubes: usize) -> CubeCount {
    let (wide, high, _) = engine.max_cubes();
    let x = cubes.min(wide as usize);
    let y = cubes.div_ceil(x).min(high as usize);
    let z = cubes.div_ceil(x * y);
    CubeCount::Static(x as u32, y as u32, z as u32)
}

/// Expands a kernel for arrays of these types and vector widths, inputs first, without a device.
#[cfg(test)]
pub fn define<K: Kernel>(kernel: K, [inputs, outputs]: [&[DType]; 2], widths: &[usize], words: usize) {
    let (inputs, outputs) = (inputs.to_vec(), outputs.to_vec());
    for planes in [false, true] {
        let (kernel, inputs, outputs) = (kernel.clone(), inputs.clone(), outputs.clone());
        let key = Key { kernel, inputs, outputs, widths: widths.to_vec(), words, planes };
        Compiled { key, units: CubeDim::new_1d(UNITS) }.define();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::words::{LaunchWords, launch_words};

    launch_words! {
        struct Sizes {
            rows: u32,
            cols: u32,
        }
    }

    /// Kernel that reads words and computes nothing.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Reads;

    impl Kernel for Reads {
        const NAME: &'static str = "reads";

        fn expand(&self, body: &mut Body) {
            body.read::<Sizes>();
            body.next_words(3);
        }
    }

    fn compile(words: usize) {
        define(Reads, [&[], &[DType::F32]], &[1], words);
    }

    #[test]
    fn words_are_packed_in_the_order_of_their_fields() {
        assert_eq!(Sizes { cols: 3, rows: 2 }.words(), [2, 3]);
    }

    #[test]
    fn a_kernel_reads_all_words_of_its_launch() {
        compile(5);
    }

    #[test]
    #[should_panic(expected = "reads: words of the launch that the kernel does not read")]
    fn a_word_too_many_is_found() {
        compile(6);
    }

    #[test]
    #[should_panic(expected = "the launch has as many words as its kernel reads")]
    fn a_word_too_few_is_found() {
        compile(4);
    }
}
