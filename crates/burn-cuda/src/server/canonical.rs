//! Canonical form of a kernel's source, independent of the order of declarations, which varies from process
//! to process.
//!
//! `cubecl` iterates over hash sets for declarations, and their order differs in every process: types of
//! vectors, variables, and shared arrays, whose offsets also follow that order. All of these sources are the
//! same kernel.

use std::borrow::Cow;

/// Kind of a declaration whose order does not matter and varies between processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Declaration {
    Vector,
    Shared,
    Variable,
}

impl Declaration {
    /// Returns the kind of declaration that begins with this line.
    fn of(line: &str) -> Option<Self> {
        let is_variable = || {
            let (_, name) = line.strip_suffix(';')?.rsplit_once(' ')?;
            let number = name.strip_prefix("l_mut_")?;
            number.bytes().all(|byte| byte.is_ascii_digit()).then_some(Declaration::Variable)
        };
        if line.starts_with("struct __align__(") {
            Some(Declaration::Vector)
        } else if line.starts_with("// Shared ") {
            Some(Declaration::Shared)
        } else {
            is_variable()
        }
    }

    /// Whether the declaration continues after this line.
    fn goes_on(self, line: &str) -> bool {
        match self {
            Declaration::Vector => line != "};",
            Declaration::Shared => !line.ends_with(';'),
            Declaration::Variable => false,
        }
    }
}

/// Returns the canonical form: declarations sorted by their text, without the offsets of shared arrays. Equal
/// forms are the same kernel. The result does not compile.
pub fn canonical(source: &str) -> String {
    let mut parts: Vec<(Option<Declaration>, Cow<'_, str>)> = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.split_inclusive('\n').next() {
        let kind = Declaration::of(first.trim_end());
        let mut length = 0;
        for line in rest.split_inclusive('\n') {
            length += line.len();
            if !kind.is_some_and(|kind| kind.goes_on(line.trim_end())) {
                break;
            }
        }
        let (text, behind) = rest.split_at(length);
        let is_shared = kind == Some(Declaration::Shared);
        parts.push((kind, if is_shared { without_place(text) } else { text.into() }));
        rest = behind;
    }
    let runs = parts.chunk_by_mut(|(kind, _), (next, _)| kind.is_some() && kind == next);
    let ordered = runs.flat_map(|run| {
        run.sort_unstable_by(|(_, text), (_, other)| text.cmp(other));
        run.iter().map(|(_, text)| text.as_ref())
    });
    ordered.collect()
}

fn without_place(text: &str) -> Cow<'_, str> {
    const MEMORY: &str = "dynamic_shared_mem[";
    let Some((before, behind)) = text.split_once(MEMORY) else { return text.into() };
    let behind = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    [before, MEMORY, behind].concat().into()
}

#[cfg(test)]
mod tests {
    use super::canonical;
    use crate::server::properties::{CudaCompiler, options};
    use crate::server::source::patched;
    use cubecl::Compiler;
    use cubecl::ir::{AddressType, ElemType, FloatKind, StorageType, Type};
    use cubecl::prelude::*;
    use cubecl::{CubeDim, ExecutionMode, KernelSettings};
    use std::collections::HashSet;

    /// Three types of vectors, two shared arrays, and variables of a loop.
    #[cube]
    fn crowded(
        x: &Array<Vector<f32, Const<4>>>,
        out: &mut Array<Vector<f32, Const<4>>>,
        #[comptime] length: usize,
    ) {
        let mut left = SharedMemory::<f32>::new(length);
        let mut right = SharedMemory::<u32>::new(32usize);
        let mut sum = Vector::<f32, Const<4>>::empty();
        let mut count = 0u32;
        let mut last = 0.0f32;
        left[UNIT_POS as usize] = x[UNIT_POS as usize][0];
        right[UNIT_POS as usize] = UNIT_POS;
        sync_cube();
        for i in 0..UNIT_POS {
            sum += x[i as usize];
            count += right[i as usize];
            last += left[i as usize];
        }
        out[UNIT_POS as usize] = sum + Vector::cast_from(last + f32::cast_from(count));
    }

    fn written(length: usize) -> String {
        let mut builder = KernelBuilder::default();
        AddressType::U32.register(&mut builder.scope);
        let four = Type::new(StorageType::Scalar(ElemType::Float(FloatKind::F32))).with_vector_size(4);
        let (x, out) = (builder.input_array(four), builder.output_array(four));
        crowded::expand(&mut builder.scope, x.into(), out.into(), length);
        let kernel = builder.build(KernelSettings::default().cube_dim(CubeDim::new_1d(32)));
        let (mode, address) = (ExecutionMode::Unchecked, AddressType::U32.unsigned_type());
        let compiled = CudaCompiler::default().compile(kernel, &options(90), mode, address);
        patched(&compiled.expect("it is a kernel").to_string())
    }

    #[test]
    fn a_kernel_is_the_same_however_it_is_written() {
        let written: HashSet<String> = (0..64).map(|_| written(32)).collect();
        // Were there one, nothing here would be of use.
        assert!(written.len() > 1, "{written:?}");
        let forms: HashSet<String> = written.iter().map(|source| canonical(source)).collect();
        assert_eq!(forms.len(), 1, "{forms:?}");
    }

    #[test]
    fn sizes_of_shared_arrays_tell_kernels_apart() {
        assert_ne!(canonical(&written(32)), canonical(&written(64)));
    }

    #[test]
    fn declarations_have_an_order_and_shared_arrays_no_place() {
        let source = "struct __align__(8) float_2 {\n    float i_0;\n};\nstruct __align__(4) bool_4 {\n    bool i_0;\n};\n// Shared array size: 8, 32 bytes\n\
                      float *b = reinterpret_cast<float*>(&dynamic_shared_mem[16]);\n// Shared value size: 4 bytes\n\
                      float &a = reinterpret_cast<float&>(dynamic_shared_mem[0]);\n\
                      float l_mut_2;\nuint32 l_mut_1;\nl_mut_2 = 1;\nfloat l_mut_0;\nx[1] = dynamic_shared_mem[3];\n";
        let expected = "struct __align__(4) bool_4 {\n    bool i_0;\n};\nstruct __align__(8) float_2 {\n    float i_0;\n};\n// Shared array size: 8, 32 bytes\n\
                        float *b = reinterpret_cast<float*>(&dynamic_shared_mem[]);\n// Shared value size: 4 bytes\n\
                        float &a = reinterpret_cast<float&>(dynamic_shared_mem[]);\n\
                        float l_mut_2;\nuint32 l_mut_1;\nl_mut_2 = 1;\nfloat l_mut_0;\nx[1] = dynamic_shared_mem[3];\n";
        assert_eq!(canonical(source), expected);
    }

    #[test]
    fn the_order_of_statements_counts() {
        assert_ne!(canonical("a = 1;\nb = 2;\n"), canonical("b = 2;\na = 1;\n"));
        assert_eq!(
            canonical("int32 l_mut_1;\nfloat l_mut_0;\n"),
            canonical("float l_mut_0;\nint32 l_mut_1;\n")
        );
    }
}
