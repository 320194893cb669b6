//! Names of the kernels that compute a call: backends with several kernels report them, profilers listen.
//!
//! A backend reports on the thread that calls it. Without a listener there, the cost is one access to a
//! thread-local cell.

use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;
use std::cell::RefCell;

std::thread_local! {
    /// Kernel names reported on this thread; `None` without a listener.
    static HEARD: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Guard that records the kernel names of this thread until it is dropped. Guards nest: an outer one records
/// the same names.
#[derive(Debug)]
#[must_use = "nothing is heard once it is dropped"]
pub struct Listening {
    outer: Option<Vec<String>>,
    // It is for the thread that it was made on.
    _thread: PhantomData<*const ()>,
}

/// Starts recording the kernel names of this thread.
///
/// ```
/// use burn_backend::kernels;
/// let listening = kernels::listen();
/// kernels::ran(|| "add".into());
/// kernels::explain(|| "the only one".into());
/// assert_eq!(listening.heard(), ["add (the only one)"]);
/// ```
pub fn listen() -> Listening {
    Listening { outer: HEARD.replace(Some(Vec::new())), _thread: PhantomData }
}

impl Listening {
    /// Returns the kernels that ran since [`listen`], in order.
    pub fn heard(self) -> Vec<String> {
        HEARD.with_borrow(|heard| heard.clone().unwrap_or_default())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let heard = HEARD.take().unwrap_or_default();
        let mut outer = self.outer.take();
        if let Some(outer) = &mut outer {
            outer.extend(heard);
        }
        HEARD.set(outer);
    }
}

/// Reports that a kernel runs, by a readable name.
pub fn ran(name: impl FnOnce() -> String) {
    HEARD.with_borrow_mut(|heard| {
        if let Some(heard) = heard {
            heard.push(name());
        }
    });
}

/// Adds a remark to the kernel that was reported last, such as why it was chosen.
pub fn explain(why: impl FnOnce() -> String) {
    HEARD.with_borrow_mut(|heard| {
        if let Some(last) = heard.as_mut().and_then(|heard| heard.last_mut()) {
            *last = alloc::format!("{last} ({})", why());
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_listens_around_hears_all() {
        let tell = |name: &'static str| ran(|| name.into());
        let outer = listen();
        tell("a");
        let inner = listen();
        tell("b");
        assert_eq!(inner.heard(), ["b"]);
        tell("c");
        assert_eq!(outer.heard(), ["a", "b", "c"]);
    }

    #[test]
    fn after_a_panic_others_still_hear() {
        let outer = listen();
        let _ = std::panic::catch_unwind(|| {
            let _inner = listen();
            panic!("in a kernel");
        });
        ran(|| "a".into());
        assert_eq!(outer.heard(), ["a"]);
        ran(|| panic!("nobody listens"));
        explain(|| panic!("nobody listens"));
    }
}
