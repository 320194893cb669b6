//! Large host memory in huge pages: one page fault where there were 512.

#[cfg(all(feature = "std", target_os = "linux"))]
mod linux {
    use core::mem::size_of_val;

    /// Memory of fewer bytes may hold no huge page (2 MiB) that is whole.
    const SMALLEST: usize = 4 << 20;

    /// Requests huge pages, where the system supports them; best before the first write.
    pub fn advise<T>(memory: &mut [T]) {
        let bytes = size_of_val(memory);
        if bytes < SMALLEST {
            return;
        }
        let start = memory.as_mut_ptr().cast::<u8>();
        // The system wants the address of a page; what lies before belongs to other memory.
        let before = start.align_offset(4096);
        // SAFETY: the pages lie within `memory`, which is borrowed. Whether they are huge changes no content,
        // so that a refusal needs no answer.
        unsafe { libc::madvise(start.wrapping_add(before).cast(), bytes - before, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(feature = "std", target_os = "linux")))]
mod elsewhere {
    pub fn advise<T>(_memory: &mut [T]) {}
}

#[cfg(not(all(feature = "std", target_os = "linux")))]
pub use elsewhere::advise;
#[cfg(all(feature = "std", target_os = "linux"))]
pub use linux::advise;
