use super::state::{Frame, State};
use super::{ModuleScope, Phase, is_watched, thread};
use core::marker::PhantomData;

/// Guard of a layer, a span or a phase, which ends when it is dropped.
#[derive(Debug)]
#[must_use = "the scope ends when the guard is dropped"]
pub struct ScopeGuard {
    /// State of the thread before; `None` without a watcher.
    outer: Option<State>,
    frame: Frame,
    // It is for the thread that it was made on.
    _thread: PhantomData<*const ()>,
}

/// Begins a call of the layer or operation `name`: after it, calls belong to the module that holds the one
/// whose parameters it read.
pub fn layer(name: &'static str) -> ScopeGuard {
    ScopeGuard::begin(Frame::Layer(name), |scope| scope)
}

/// Begins a part of a program that has a name of its own: calls in it belong to no module, but for those of
/// layers.
pub fn span() -> ScopeGuard {
    ScopeGuard::begin(Frame::Span, |scope| ModuleScope::outside(scope.phase))
}

/// Begins a backward pass.
pub fn backward() -> ScopeGuard {
    ScopeGuard::begin(Frame::Phase, |_| ModuleScope::outside(Phase::Backward))
}

/// Begins a step of an optimizer.
pub fn update() -> ScopeGuard {
    ScopeGuard::begin(Frame::Phase, |_| ModuleScope::outside(Phase::Update))
}

impl ScopeGuard {
    #[inline]
    fn begin(frame: Frame, inside: impl FnOnce(ModuleScope) -> ModuleScope) -> Self {
        let outer = is_watched().then(|| {
            let outer = thread::state();
            let (scope, depth) = (inside(outer.scope), outer.depth + 1);
            thread::set(State { scope, frame, has_read: false, depth });
            outer
        });
        ScopeGuard { outer, frame, _thread: PhantomData }
    }
}

impl Drop for ScopeGuard {
    #[inline]
    fn drop(&mut self) {
        if let Some(outer) = self.outer {
            let inner = thread::state();
            // Guards that are dropped out of order end those inside of them.
            if inner.depth > outer.depth {
                thread::set(after(self.frame, inner, outer));
            }
        }
    }
}

/// Returns the state after `frame`, which ends in the state `inner` and began in `outer`.
fn after(frame: Frame, inner: State, outer: State) -> State {
    match (frame, outer.frame) {
        // The layer before a backward pass or a step of an optimizer says nothing about the calls after it.
        (Frame::Phase, _) => State { scope: ModuleScope::outside(outer.scope.phase), ..outer },
        (Frame::Layer(_), Frame::Span) | (Frame::Span | Frame::Program, _) => outer,
        (Frame::Layer(_), _) if !inner.has_read => outer,
        // A layer that calls another function of its own.
        (Frame::Layer(inside), Frame::Layer(around)) if inside == around => {
            State { scope: inner.scope, has_read: true, ..outer }
        }
        (Frame::Layer(_), _) => State { scope: inner.scope.risen(1), has_read: true, ..outer },
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::module_scope::{ParameterWalk, current, read_parameter, resume, watch};

    /// Names the parameter `encoder.layers.0.linear.weight` by this number.
    fn named(id: u64) {
        watch();
        let mut walk = ParameterWalk::new(true);
        for field in ["encoder", "layers"] {
            walk.enter_layer();
            walk.enter_module(field);
        }
        walk.enter_module("0");
        for field in ["linear", "weight"] {
            walk.enter_layer();
            walk.enter_module(field);
        }
        walk.visit(id);
    }

    fn path() -> Option<String> {
        current().path()
    }

    #[test]
    fn behind_a_layer_calls_belong_to_the_module_that_holds_it() {
        named(1_001);
        let block = layer("block");
        let linear = layer("linear");
        read_parameter(1_001);
        {
            let _operation = layer("matmul");
            assert_eq!(path().as_deref(), Some("encoder.layers.0.linear"));
        }
        drop(linear);
        assert_eq!(path().as_deref(), Some("encoder.layers.0"));
        drop(block);
        assert_eq!(path().as_deref(), Some("encoder"));
        drop(layer("exp"));
        assert_eq!(path().as_deref(), Some("encoder"));
    }

    #[test]
    fn a_backward_step_is_in_the_scope_of_its_call() {
        named(1_002);
        read_parameter(1_002);
        let scope = current();
        {
            let _pass = backward();
            assert_eq!(current(), ModuleScope::outside(Phase::Backward));
            resume(scope);
            assert_eq!(path().as_deref(), Some("encoder.layers.0.linear"));
            assert_eq!(current().phase, Phase::Backward);
        }
        assert_eq!(current(), ModuleScope::outside(Phase::Forward));
    }

    #[test]
    fn guards_that_end_out_of_order_end_those_inside_of_them() {
        named(1_003);
        let (outer, inner) = (span(), layer("linear"));
        read_parameter(1_003);
        drop(outer);
        assert_eq!(current(), ModuleScope::outside(Phase::Forward));
        drop(inner);
        assert_eq!(current(), ModuleScope::outside(Phase::Forward));
    }
}
