//! Corrections to the source that the kernel compiler writes.

use burn_cubecl::kernels::GRID_DEPENDENCY_WAIT;

/// A reference to the bits of a value as another type; a temporary has one until the statement
/// ends.
const REINTERPRETED: &str = "template<class To, class From> __device__ __forceinline__ const To& reinterpreted(const From& \
                             from) { return reinterpret_cast<const To&>(from); }\n";

/// A `bf16` of a number. The instruction for one number is four times slower than the one for two of them.
const NARROWED: &str = "template<class From> __device__ __forceinline__ __nv_bfloat16 narrowed(From x) { return __nv_bfloat16(x); }\n\
                        __device__ __forceinline__ __nv_bfloat16 narrowed(float x) { return __low2bfloat16(__floats2bfloat162_rn(x, 0.0f)); }\n";

/// Programmatic dependent launch: lets the next kernel start, and waits for the end of the one before. The
/// next one waits for the end of this one, and so of all before.
const DEPENDENT_LAUNCH: &str = "__device__ __forceinline__ void grid_dependency_wait() {\n\
                     #if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900\n\
                     asm volatile(\"griddepcontrol.launch_dependents; griddepcontrol.wait;\" ::: \"memory\");\n\
                     #endif\n}\n";

/// Returns the source with a wait for the launches before the kernel, and whether there is one: kernels of
/// other compilers stay as they are. The kernel says where it waits, or does so where it starts.
pub fn awaiting(source: &str) -> (String, bool) {
    const ENTRY: &str = "extern \"C\" __global__ void ";
    const BODY: &str = "\n) {\n";
    const CALL: &str = "grid_dependency_wait();\n";
    let said = format!("// {GRID_DEPENDENCY_WAIT}\n");
    let place = match source.find(&said) {
        Some(place) => Some(place + said.len()),
        None => source.find(ENTRY).and_then(|entry| Some(entry + source[entry..].find(BODY)? + BODY.len())),
    };
    match place {
        Some(place) => ([DEPENDENT_LAUNCH, &source[..place], CALL, &source[place..]].concat(), true),
        None => (source.to_string(), false),
    }
}

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
    use super::{DEPENDENT_LAUNCH, NARROWED, REINTERPRETED, awaiting, patched};
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

    #[test]
    fn kernels_wait_where_they_say_or_at_once() {
        let (source, waits) = awaiting(&written());
        assert!(waits);
        let (before, behind) =
            source.split_once("\n) {\ngrid_dependency_wait();\n").expect("it waits at once");
        assert!(before.starts_with(DEPENDENT_LAUNCH) && !behind.contains("grid_dependency_wait"), "{source}");
        let said = "extern \"C\" __global__ void f (\n) {\ny;\n// grid dependency wait\nx;\n}";
        let (source, waits) = awaiting(said);
        let body = "f (\n) {\ny;\n// grid dependency wait\ngrid_dependency_wait();\nx;\n}";
        assert!(waits && source.ends_with(body), "{source}");
        let other = "__global__ void f() {}";
        assert_eq!(awaiting(other), (other.to_string(), false));
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
