//! A second form of a buffer's elements, kept beside them for kernels that meet the same constant again and
//! again.

use core::any::Any;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::boxed::Box;

/// Times that a form is asked for before it is kept: weights in training are written again before that.
const OFTEN: u32 = 3;

/// A second form of the elements.
#[derive(Debug)]
struct Form {
    /// Which of the forms that these elements may have: offset, step and sizes of a matrix.
    key: [usize; 4],
    elements: Box<dyn Any + Send + Sync>,
}

/// The place of at most one form, which whoever writes the elements empties.
#[derive(Debug, Default)]
pub struct Kept {
    form: AtomicPtr<Form>,
    asked: AtomicU32,
}

impl Kept {
    /// Returns the form with this key. It is created on the third request, unless the slot holds another one.
    pub fn get<T: Any + Send + Sync>(&self, key: [usize; 4], make: impl FnOnce() -> T) -> Option<&T> {
        let mut form = self.form.load(Ordering::Acquire);
        if form.is_null() {
            if self.asked.fetch_add(1, Ordering::Relaxed) + 1 < OFTEN {
                return None;
            }
            let made = Box::into_raw(Box::new(Form { key, elements: Box::new(make()) }));
            form = match self.form.compare_exchange(
                ptr::null_mut(),
                made,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => made,
                Err(first) => {
                    // SAFETY: it is from a box, and no other thread saw it.
                    drop(unsafe { Box::from_raw(made) });
                    first
                }
            };
        }
        // SAFETY: forms are from boxes, and are freed only when no other thread can see the slot.
        let form = unsafe { &*form };
        if form.key == key { form.elements.downcast_ref() } else { None }
    }

    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.form.load(Ordering::Acquire).is_null()
    }

    /// Empties the slot.
    #[inline]
    pub fn forget(&mut self) {
        *self.asked.get_mut() = 0;
        if !self.form.get_mut().is_null() {
            self.drop_form();
        }
    }

    #[cold]
    fn drop_form(&mut self) {
        let form = core::mem::replace(self.form.get_mut(), ptr::null_mut());
        // SAFETY: forms are from boxes, and this one was the slot's.
        drop(unsafe { Box::from_raw(form) });
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::Buffer;

    const KEY: [usize; 4] = [0, 4, 2, 2];

    fn form(x: u32) -> Buffer {
        let mut form = Buffer::new(4);
        form.as_mut_slice::<u32>().expect("new")[0] = x;
        form
    }

    fn found(x: &Buffer, key: [usize; 4], make: u32) -> Option<u32> {
        x.kept().get(key, || form(make)).map(|form| form.as_slice::<u32>()[0])
    }

    #[test]
    fn a_form_is_kept_from_the_third_asking_until_the_elements_are_written() {
        let mut x = form(1);
        assert_eq!([found(&x, KEY, 5), found(&x, KEY, 6)], [None, None]);
        let y = x.clone();
        assert_eq!(found(&y, KEY, 7), Some(7));
        assert_eq!(found(&x, KEY, 8), Some(7));
        assert_eq!(found(&x, [1, 4, 2, 2], 9), None, "another matrix");
        drop(y);
        x.as_mut_slice::<u32>().expect("unique")[0] = 2;
        assert_eq!([found(&x, KEY, 5), found(&x, KEY, 6), found(&x, KEY, 7)], [None, None, Some(7)]);
    }

    #[test]
    fn a_block_that_is_lent_again_keeps_nothing() {
        for _ in 0..2 {
            let x = Buffer::new(54_321);
            assert_eq!([found(&x, KEY, 1), found(&x, KEY, 2), found(&x, KEY, 3)], [None, None, Some(3)]);
        }
    }

    // There are no threads in WebAssembly.
    #[cfg(not(target_family = "wasm"))]
    #[test]
    fn threads_that_ask_at_once_get_one_form() {
        let x = form(0);
        let all: Vec<u32> = std::thread::scope(|scope| {
            let ask = |n: u32| {
                let x = x.clone();
                scope.spawn(move || (0..10).filter_map(|_| found(&x, KEY, n)).collect::<Vec<_>>())
            };
            let threads: Vec<_> = (0..4).map(ask).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.len() >= 30, "{all:?}");
        assert!(all.iter().all(|&n| n == all[0]), "{all:?}");
    }
}
