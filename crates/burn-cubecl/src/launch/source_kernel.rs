//! Kernels that are written in the language of a device, as text with placeholders.

use cubecl::ir::StorageType;
use cubecl::prelude::*;
use cubecl::server::{Binding, ExecutionMode, KernelArguments};
use cubecl::{CubeCount, CubeDim};
use cubecl_runtime::compiler::{CompilationError, Compiler, CubeTask};
use cubecl_runtime::kernel::CompiledKernel;
use std::fmt;

/// Text with placeholders such as `{{ name }}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTemplate {
    text: String,
    values: Vec<(String, String)>,
}

/// Why a template cannot be filled in.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// Nothing was registered for a placeholder; the registered names.
    Missing { name: String, registered: Vec<String> },
    /// A `{{` without its `}}`, on this line.
    Open { line: usize },
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::Missing { name, registered } => {
                write!(f, "nothing was registered for {{{{ {name} }}}}, only {registered:?}")
            }
            TemplateError::Open { line } => {
                write!(f, "line {line} of the template opens {{{{ and does not close it")
            }
        }
    }
}

burn_backend::debug_as_display!(TemplateError);

impl std::error::Error for TemplateError {}

impl SourceTemplate {
    pub fn new(text: impl Into<String>) -> Self {
        SourceTemplate { text: text.into(), values: Vec::new() }
    }

    /// Registers the text of all placeholders of this name; the last one counts.
    #[must_use]
    pub fn register(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.push((name.into(), value.into()));
        self
    }

    /// Returns the text with all placeholders filled in.
    ///
    /// # Errors
    /// When nothing was registered for a placeholder, or one does not end.
    pub fn complete(&self) -> Result<String, TemplateError> {
        let (mut done, mut rest) = (String::with_capacity(self.text.len()), &self.text[..]);
        while let Some((before, after)) = rest.split_once("{{") {
            let line = || self.text[..self.text.len() - after.len()].lines().count();
            let (name, behind) =
                after.split_once("}}").ok_or_else(|| TemplateError::Open { line: line() })?;
            let value = self.values.iter().rfind(|(known, _)| known == name.trim());
            let (_, value) = value.ok_or_else(|| TemplateError::Missing {
                name: name.trim().into(),
                registered: self.values.iter().map(|(name, _)| name.clone()).collect(),
            })?;
            done.push_str(before);
            done.push_str(value);
            rest = behind;
        }
        done.push_str(rest);
        Ok(done)
    }
}

/// A kernel as text.
pub trait KernelSource: fmt::Debug + Send + Sync + 'static {
    /// Returns the source, whose entry point is called `main`.
    fn source(&self) -> SourceTemplate;
    /// Returns the identity of the kernel: kernels of equal ids are compiled once.
    fn id(&self) -> KernelId;
}

/// A kernel as text, with the number of units of a cube: WGSL for `Wgpu`.
///
/// Tensors share buffers, so all arrays are declared `var<storage, read_write>`, in the order in which they
/// are bound.
#[derive(Debug)]
pub struct SourceKernel<K> {
    kernel: K,
    cube_dim: CubeDim,
}

impl<K: KernelSource> SourceKernel<K> {
    pub fn new(kernel: K, cube_dim: CubeDim) -> Self {
        SourceKernel { kernel, cube_dim }
    }
}

impl<K: KernelSource> KernelMetadata for SourceKernel<K> {
    fn id(&self) -> KernelId {
        self.kernel.id().cube_dim(self.cube_dim)
    }
    fn address_type(&self) -> StorageType {
        AddressType::U32.unsigned_type()
    }
}

impl<K: KernelSource, C: Compiler> CubeTask<C> for SourceKernel<K> {
    fn compile(
        &self,
        _compiler: &mut C,
        _options: &C::CompilationOptions,
        _mode: ExecutionMode,
        _address: StorageType,
    ) -> Result<CompiledKernel<C>, CompilationError> {
        let source = self.kernel.source().complete().map_err(|error| CompilationError::Generic {
            reason: format!("{}: {error}", self.name()),
            backtrace: cubecl::backtrace::BackTrace::capture(),
        })?;
        Ok(CompiledKernel {
            entrypoint_name: "main".into(),
            debug_name: Some(self.name()),
            source,
            repr: None,
            cube_dim: self.cube_dim,
            debug_info: None,
        })
    }
}

/// Kernels as text, launched.
pub trait Execute {
    /// Runs so many cubes of the kernel on buffers, which it finds in this order in group 0.
    ///
    /// An error of the kernel (a placeholder left, a text that does not compile) is returned by the next
    /// read of the device, of whichever thread reads first.
    fn execute<K: KernelSource>(&self, kernel: Box<SourceKernel<K>>, count: CubeCount, buffers: Vec<Binding>);
}

impl<R: Runtime> Execute for ComputeClient<R> {
    fn execute<K: KernelSource>(
        &self,
        kernel: Box<SourceKernel<K>>,
        count: CubeCount,
        buffers: Vec<Binding>,
    ) {
        self.launch(kernel, count, KernelArguments::new().with_buffers(buffers));
    }
}

/// A kernel of the text in a file, whose path is that from the file of the call: `kernel_wgsl!(Double,
/// "./double.wgsl")` declares `Double` with `Double::new().source()`, a [`SourceTemplate`].
#[macro_export]
macro_rules! kernel_wgsl {
    ($name:ident, $file:literal) => {
        #[doc = concat!("The kernel in `", $file, "`.")]
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name;

        impl $name {
            /// Creates the kernel with its placeholders.
            pub fn new() -> Self {
                $name
            }

            /// Returns the text of the file.
            pub fn source(&self) -> $crate::SourceTemplate {
                $crate::SourceTemplate::new(include_str!($file))
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_in_wherever_they_are() {
        let template = SourceTemplate::new("{{a}}+{{ b }}{{  a }}");
        let full = template.clone().register("a", "1").register("b", "{{").register("a", "2");
        assert_eq!(full.complete().as_deref(), Ok("2+{{2"));
        assert_eq!(
            template.register("a", "1").complete(),
            Err(TemplateError::Missing { name: "b".into(), registered: vec!["a".into()] })
        );
    }

    #[test]
    fn a_place_that_does_not_end_is_an_error_with_its_line() {
        let template = SourceTemplate::new("fn f() {\n}\n  {{ x }\n").register("x", "");
        assert_eq!(template.complete(), Err(TemplateError::Open { line: 3 }));
        assert_eq!(SourceTemplate::new("no places }}").complete().as_deref(), Ok("no places }}"));
    }
}
