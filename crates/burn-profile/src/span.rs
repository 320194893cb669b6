use crate::ledger;
use burn_backend::module_scope::{self, ScopeGuard};
use std::cell::RefCell;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

thread_local! {
    /// The paths of the spans that this thread is in, the innermost last.
    static PATHS: RefCell<Vec<Arc<str>>> = const { RefCell::new(Vec::new()) };
}

static NO_PATH: LazyLock<Arc<str>> = LazyLock::new(|| Arc::from(""));

/// Part of a program, such as preprocessing, to which the calls of its thread belong until it is dropped.
///
/// Layers need none: their calls are listed by the path of the module ([`Profile`](crate::Profile)), in a
/// span too. Spans inside of each other make a path with dots, as the names of parameters do.
/// [`Report::by_module`](crate::Report::by_module) sums calls by path; in a trace a span is a slice around
/// its calls.
///
/// ```
/// use burn::backend::NdArray;
/// use burn::backend::profile::{Profile, Span};
/// use burn::tensor::Tensor;
///
/// type P = Profile<NdArray>;
/// let x = Tensor::<P, 1>::from_data([1.0, 2.0], &Default::default());
/// {
///     let _encoder = Span::enter("encoder");
///     let x = x.clone() + 1.0;
///     let _layer = Span::enter("layers.0");
///     let _product = x.clone() * x;
/// }
/// let modules = P::report().by_module();
/// assert!(modules.iter().any(|row| row.module == "encoder.layers.0" && row.count == 1));
/// ```
#[derive(Debug)]
#[must_use = "a span ends when it is dropped"]
pub struct Span {
    path: Arc<str>,
    begin: Instant,
    /// It stays on its thread.
    _scope: ScopeGuard,
}

impl Span {
    /// Begins a span of this thread, inside of the one it is in.
    pub fn enter(name: &str) -> Self {
        let path = PATHS.with_borrow_mut(|paths| {
            let path: Arc<str> = match paths.last() {
                Some(outer) => format!("{outer}.{name}").into(),
                None => name.into(),
            };
            paths.push(path.clone());
            path
        });
        Self { path, begin: Instant::now(), _scope: module_scope::span() }
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        PATHS.with_borrow_mut(|paths| {
            // Spans that are dropped out of order end those inside of them.
            if let Some(at) = paths.iter().rposition(|path| Arc::ptr_eq(path, &self.path)) {
                paths.truncate(at);
            }
        });
        ledger::add_span(&self.path, self.begin);
    }
}

/// Returns the path of the span that this thread is in; empty outside of all.
pub fn path() -> Arc<str> {
    PATHS.with_borrow(|paths| paths.last().cloned()).unwrap_or_else(|| NO_PATH.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_nest_and_end_in_any_order() {
        assert_eq!(&*path(), "");
        let outer = Span::enter("a");
        let inner = Span::enter("b");
        assert_eq!(&*path(), "a.b");
        drop(outer);
        assert_eq!(&*path(), "");
        drop(inner);
        assert_eq!(&*path(), "");
        let _again = Span::enter("c");
        assert_eq!(&*path(), "c");
        std::thread::spawn(|| assert_eq!(&*path(), "")).join().unwrap();
    }
}
