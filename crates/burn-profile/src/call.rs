//! One call, and what it belongs to.

use burn_backend::TensorSpec;
use burn_backend::module_scope::{ModuleScope, Phase};
use std::any::TypeId;
use std::borrow::Cow;
use std::sync::Arc;

/// Span and module that a call belongs to. The path of the module may become known after the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallSite {
    pub span: Arc<str>,
    pub scope: ModuleScope,
}

impl CallSite {
    /// Returns the path of the module, or of the span where that is not known, and the phase behind it.
    pub fn module(&self) -> String {
        let path = self.scope.path().unwrap_or_else(|| self.span.to_string());
        let phase = match self.scope.phase {
            Phase::Forward => return path,
            Phase::Backward => "(backward)",
            Phase::Update => "(optimizer)",
        };
        if path.is_empty() { phase.to_string() } else { format!("{path} {phase}") }
    }
}

/// Description of a call: its name, its operands, and the bytes of operands and results.
#[derive(Debug)]
pub struct ProfiledCall {
    pub backend: TypeId,
    pub place: CallSite,
    pub name: Cow<'static, str>,
    pub operands: Vec<TensorSpec>,
    pub bytes: u64,
    /// Names of the kernels that the backend reports for the call.
    pub kernels: Vec<String>,
}

impl ProfiledCall {
    pub fn operand(&mut self, spec: &TensorSpec) {
        self.bytes += size(spec);
        self.operands.push(spec.clone());
    }
}

/// Returns the bytes of a tensor.
pub fn size(spec: &TensorSpec) -> u64 {
    (spec.shape.num_elements() * spec.dtype.size()) as u64
}
