//! Corrections to the source that the kernel compiler writes.

/// A reference to the bits of a value as another type; a temporary has one until the statement
/// ends.
const REINTERPRETED: &str = "template<class To, class From> __device__ __forceinline__ const To& reinterpreted(const From& \
                             from) { return reinterpret_cast<const To&>(from); }\n";

/// A `bf16` of a number. The instruction for one number is four times slower than the one for two of them.
const NARROWED: &str = "template<class From> __device__ __forceinline__ __nv_bfloat16 narrowed(From x) { return __nv_bfloat16(x); }\n\
                        __device__ __forceinline__ __nv_bfloat16 narrowed(float x) { return __low2bfloat16(__floats2bfloat162_rn(x, 0.0f)); }\n";

/// Casts the bits of constants too: C++ has references to variables only, and `cubecl-cpp` writes the same
/// cast for a constant, which does not compile. Numbers become a `bf16` by way of two of them.
pub fn patched(source: &str) -> String {
    const HEADER: &str = "#include <cuda_bf16.h>\n";
    let Some((before, behind)) = source.split_once(HEADER) else { return cast(source) };
    let behind = behind.replace("__nv_bfloat16(l_", "narrowed(l_");
    cast(&[before, HEADER, NARROWED, &behind].concat())
}

fn cast(source: &str) -> String {
    const CAST: &str = "reinterpret_cast<";
    let mut parts = source.split(CAST);
    let mut text = String::from(REINTERPRETED);
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        match part.split_once("&>(") {
            Some((to, value)) if is_constant(value) && !to.contains(['(', ';']) => {
                let to = to.trim_end().trim_end_matches("const").trim_end();
                text.push_str(&format!("reinterpreted<{to}>({value}"));
            }
            _ => text.push_str(&format!("{CAST}{part}")),
        }
    }
    text
}

/// Whether a number is made here: `uint32(0)`.
fn is_constant(value: &str) -> bool {
    let name = value.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    name.len() < value.len() && name.starts_with('(')
}

#[cfg(test)]
mod tests {
    use super::{NARROWED, REINTERPRETED, patched};
    use crate::server::properties::{CudaCompiler, options};
    use cubecl::Compiler;
    use cubecl::ir::{AddressType, ElemType, FloatKind, StorageType, Type};
    use cubecl::prelude::*;
    use cubecl::{CubeDim, ExecutionMode, KernelSettings};
    use half::bf16;

    #[cube]
    fn bits_and_halves(x: &Array<bf16>, out: &mut Array<bf16>) {
        let infinity = f32::reinterpret(0x7f80_0000u32);
        out[UNIT_POS as usize] = bf16::cast_from(f32::cast_from(x[UNIT_POS as usize]) + infinity);
    }

    /// Returns the source as the compiler writes it.
    fn written() -> String {
        let mut builder = KernelBuilder::default();
        AddressType::U32.register(&mut builder.scope);
        let half = Type::new(StorageType::Scalar(ElemType::Float(FloatKind::BF16)));
        let (x, out) = (builder.input_array(half), builder.output_array(half));
        bits_and_halves::expand(&mut builder.scope, x.into(), out.into());
        let kernel = builder.build(KernelSettings::default().cube_dim(CubeDim::new_1d(32)));
        let (mode, address) = (ExecutionMode::Unchecked, AddressType::U32.unsigned_type());
        let compiled = CudaCompiler::default().compile(kernel, &options(90), mode, address);
        compiled.expect("it is a kernel").to_string()
    }

    /// The compiler still writes the code that is corrected; if this fails, review the corrections.
    #[test]
    fn the_compiler_writes_what_is_mended() {
        let written = written();
        assert!(written.contains("#include <cuda_bf16.h>\n"), "{written}");
        assert!(written.contains("__nv_bfloat16(l_"), "{written}");
        assert!(written.contains("reinterpret_cast<") && written.contains("&>(uint32("), "{written}");
        let patched = patched(&written);
        assert!(patched.contains(NARROWED) && patched.contains("= narrowed(l_"), "{patched}");
        assert!(
            patched.contains("reinterpreted<float>(uint32(") && !patched.contains("&>(uint32("),
            "{patched}"
        );
    }

    fn patch_line(line: &str) -> String {
        patched(line).strip_prefix(REINTERPRETED).unwrap().to_string()
    }

    #[test]
    fn constants_are_given_a_place() {
        let line = "const float l_6 = reinterpret_cast<float const&>(uint32(0));";
        assert_eq!(patch_line(line), "const float l_6 = reinterpreted<float>(uint32(0));");
        assert_eq!(
            patch_line("x = reinterpret_cast<float&>(uint32(0));"),
            "x = reinterpreted<float>(uint32(0));"
        );
    }

    #[test]
    fn numbers_are_narrowed_in_pairs() {
        let source = "#include <cuda_bf16.h>\nx = __nv_bfloat16(l_4); y = __nv_bfloat16(0.0);";
        let patched = patch_line(source);
        assert!(patched.starts_with("#include <cuda_bf16.h>\ntemplate"), "{patched}");
        assert!(patched.ends_with("x = narrowed(l_4); y = __nv_bfloat16(0.0);"), "{patched}");
    }

    #[test]
    fn other_casts_stay() {
        for line in [
            "float *s = reinterpret_cast<float*>(&dynamic_shared_mem[0]); y = f<x&>(uint32(0));",
            "const float l_6 = reinterpret_cast<float const&>(l_5);",
            "reinterpret_cast<uint32&>(x) = 1;",
        ] {
            assert_eq!(patch_line(line), line);
        }
    }
}
