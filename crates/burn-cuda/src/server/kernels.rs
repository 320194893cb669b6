//! Kernels as the device runs them: compiled once, and kept on disk for the next process.

use crate::CudaError;
use crate::driver::check;
use crate::server::cache::{Binary, Cache};
use crate::server::canonical::canonical;
use crate::server::properties::CudaCompiler;
use crate::server::source::{awaiting, patched};
use cubecl::CubeTask;
use cubecl::backtrace::BackTrace;
use cubecl::ir::DeviceProperties;
use cubecl::prelude::{CubeDim, ExecutionMode, KernelId};
use cubecl::server::{LaunchError, ResourceLimitError, ServerError};
use cubecl_cpp::shared::CompilationOptions;
use cubecl_runtime::logging::ServerLogger;
use cubecl_runtime::validation::{validate_cube_dim, validate_units};
use cudarc::driver::{result, sys};
use cudarc::nvrtc;
use std::collections::HashMap;
use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// A kernel on the device.
#[derive(Clone, Copy, Debug)]
pub struct Compiled {
    pub function: sys::CUfunction,
    pub units: CubeDim,
    pub shared_memory: u32,
    /// Whether it waits for the launches before it, so that a dependent launch is possible.
    pub waits: bool,
}

#[derive(Debug)]
pub struct Kernels {
    compiled: HashMap<KernelId, Compiled>,
    options: CompilationOptions,
    /// `sm_90a` for compute capability 9.0.
    architecture: String,
    /// Whether devices of the architecture have programmatic dependent launch.
    has_dependent_launches: bool,
    cache: Cache,
}

// SAFETY: functions of the driver may be used from any thread.
unsafe impl Send for Kernels {}

impl Kernels {
    pub fn new(architecture: u32, options: CompilationOptions) -> Self {
        // From 9.0 on, `a` is for the instructions of this very architecture.
        let own = if architecture >= 90 { "a" } else { "" };
        let has_dependent_launches = architecture >= 90;
        let architecture = format!("sm_{architecture}{own}");
        let (compiled, cache) = (HashMap::new(), Cache::of_user());
        Kernels { compiled, options, architecture, has_dependent_launches, cache }
    }

    /// Returns the kernel, compiling it on the first call.
    pub fn get(
        &mut self,
        kernel: &dyn CubeTask<CudaCompiler>,
        mode: ExecutionMode,
        properties: &DeviceProperties,
        logger: &ServerLogger,
    ) -> Result<Compiled, ServerError> {
        let mut id = kernel.id();
        id.mode(mode);
        if let Some(compiled) = self.compiled.get(&id) {
            return Ok(*compiled);
        }
        validate_cube_dim(properties, &id)?;
        validate_units(properties, &id)?;
        let mut compiler = CudaCompiler::default();
        let written = kernel.compile(&mut compiler, &self.options, mode, kernel.address_type());
        let written = written.map_err(LaunchError::from)?;
        logger.log_compilation(&written);
        let shared_memory = written.repr.as_ref().map_or(0, |kernel| kernel.shared_memory_size());
        let max = properties.hardware.max_shared_memory_size;
        if shared_memory > max {
            let backtrace = BackTrace::capture();
            let error = ResourceLimitError::SharedMemory { requested: shared_memory, max, backtrace };
            return Err(LaunchError::from(error).into());
        }
        let (source, waits) = awaiting(&patched(&written.source));
        let (function, shared_memory) = self.function(&written.entrypoint_name, &source, shared_memory)?;
        if shared_memory > 0 {
            let size = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function was just loaded.
            let set =
                unsafe { result::function::set_function_attribute(function, size, shared_memory as i32) };
            check("cuFuncSetAttribute", set)?;
        }
        let (units, shared_memory) = (written.cube_dim, shared_memory as u32);
        let waits = waits && self.has_dependent_launches;
        let compiled = Compiled { function, units, shared_memory, waits };
        self.compiled.insert(id, compiled);
        Ok(compiled)
    }

    /// From the cache, or else from the compiler, with the bytes of shared memory that it needs.
    fn function(
        &mut self,
        name: &str,
        source: &str,
        shared_memory: usize,
    ) -> Result<(sys::CUfunction, usize), CudaError> {
        let key = Cache::key(&[&self.architecture, &canonical(source)]);
        // A file that does not load, of another driver perhaps, is written anew.
        if let Some(Binary { code, shared_memory }) = self.cache.read(key)
            && let Ok(function) = load(name, &code)
        {
            return Ok((function, shared_memory as usize));
        }
        let code = compile(name, source, &self.architecture)?;
        let binary = Binary { code, shared_memory: shared_memory as u64 };
        self.cache.write(key, &binary);
        Ok((load(name, &binary.code)?, shared_memory))
    }
}

fn load(name: &str, binary: &[u8]) -> Result<sys::CUfunction, CudaError> {
    // SAFETY: the driver checks what it is given; the module is never unloaded.
    let module = check("cuModuleLoadData", unsafe { result::module::load_data(binary.as_ptr().cast()) })?;
    let name = CString::new(name).map_err(|_| CudaError::Unsupported { what: "names with a zero byte" })?;
    // SAFETY: the module was just loaded.
    check("cuModuleGetFunction", unsafe { result::module::get_function(module, name) })
}

/// Where the headers of CUDA are: half precision, matrices and barriers need them.
fn headers() -> Option<PathBuf> {
    let named = ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = ["/usr/local/cuda", "/opt/cuda", "/usr"].into_iter().map(PathBuf::from);
    named.chain(usual).map(|root| root.join("include")).find(|include| include.join("cuda_fp16.h").is_file())
}

/// A program of the compiler, freed with this.
struct Program(nvrtc::sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the program was made in `translate` and is freed once.
        let _ = unsafe { nvrtc::result::destroy_program(self.0) };
    }
}

/// The binary of a kernel.
fn compile(name: &str, source: &str, architecture: &str) -> Result<Vec<u8>, CudaError> {
    static FIRST: Once = Once::new();
    // The end of the process frees what the compiler has loaded since `exit_waits_for_devices` was called
    // before it waits. Nearly all of that comes with the first program, so that is a short one.
    FIRST.call_once(|| {
        _ = translate("nothing", "extern \"C\" __global__ void nothing() {}", architecture);
        burn_cubecl::exit_waits_for_devices();
    });
    let binary = translate(name, source, architecture);
    burn_cubecl::exit_waits_for_devices();
    binary
}

fn translate(name: &str, source: &str, architecture: &str) -> Result<Vec<u8>, CudaError> {
    let failed = |log: String| CudaError::Compile { kernel: name.into(), log };
    // SAFETY: this loads the library, whose initialisers are sound.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Err(failed("the library of the compiler (libnvrtc) cannot be loaded".into()));
    }
    let text = CString::new(source).map_err(|_| failed("there is a zero byte in the source".into()))?;
    let status = |call: &str, error: nvrtc::result::NvrtcError| failed(format!("{call}: {error:?}"));
    let created = nvrtc::result::create_program(&text, None);
    // This call has loaded it for good.
    burn_cubecl::exit_waits_for_devices();
    let program = Program(created.map_err(|error| status("nvrtcCreateProgram", error))?);
    let mut options = vec![format!("--gpu-architecture={architecture}")];
    let include = |path: &Path| format!("--include-path={}", path.display());
    if let Some(headers) = headers() {
        options.push(include(&headers));
        options.push(include(&headers.join("cccl")));
    }
    // SAFETY: the program is alive, and so is its source.
    if unsafe { nvrtc::result::compile_program(program.0, &options) }.is_err() {
        // SAFETY: as above.
        let log = unsafe { nvrtc::result::get_program_log(program.0) }.unwrap_or_default();
        let bytes: Vec<u8> = log.into_iter().map(|byte| byte as u8).collect();
        let log = CStr::from_bytes_until_nul(&bytes)
            .map_or_else(|_| String::new(), |log| log.to_string_lossy().into());
        return Err(failed(format!("{log}\n{source}")));
    }
    let mut size = 0;
    // SAFETY: the program is compiled for an architecture that is real, so there is a binary.
    let sized = unsafe { nvrtc::sys::nvrtcGetCUBINSize(program.0, &raw mut size) };
    sized.result().map_err(|error| status("nvrtcGetCUBINSize", error))?;
    let mut binary = vec![0_u8; size];
    // SAFETY: there is room for the binary.
    let got = unsafe { nvrtc::sys::nvrtcGetCUBIN(program.0, binary.as_mut_ptr().cast()) };
    got.result().map_err(|error| status("nvrtcGetCUBIN", error))?;
    Ok(binary)
}
