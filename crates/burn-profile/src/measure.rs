//! One call while it runs.

use crate::call::{CallSite, ProfiledCall, size};
use crate::{ledger, span};
use burn_backend::{HasSpec, Outputs, TensorSpec, module_scope};
use std::any::TypeId;
use std::borrow::Cow;
use std::time::Instant;

/// Running measurement of a call.
#[derive(Debug)]
pub struct Running {
    call: ProfiledCall,
    begin: Instant,
}

impl ProfiledCall {
    pub fn new<B: 'static>(name: impl Into<Cow<'static, str>>) -> Self {
        module_scope::watch();
        ProfiledCall {
            backend: TypeId::of::<B>(),
            place: CallSite { span: span::path(), scope: module_scope::current() },
            name: name.into(),
            operands: Vec::new(),
            bytes: 0,
            kernels: Vec::new(),
        }
    }

    /// Starts the clock.
    pub fn begin(self) -> Running {
        Running { call: self, begin: Instant::now() }
    }
}

impl Running {
    /// Stops the clock; `kernels` are those that the call ran.
    pub fn end<'a>(self, results: impl IntoIterator<Item = &'a TensorSpec>, kernels: Vec<String>) {
        let Running { mut call, begin } = self;
        let elapsed = begin.elapsed();
        call.bytes += results.into_iter().map(size).sum::<u64>();
        call.kernels = kernels;
        ledger::add(call, begin, elapsed);
    }
}

/// Returns the specs of results.
pub fn specs<T: HasSpec>(outputs: &Outputs<T>) -> impl Iterator<Item = &TensorSpec> {
    let all = match outputs {
        Outputs::One(x) => [Some(x), None, None],
        Outputs::Two(x, y) => [Some(x), Some(y), None],
        Outputs::Three(x, y, z) => [Some(x), Some(y), Some(z)],
    };
    all.into_iter().flatten().map(HasSpec::spec)
}
