//! Memory does not grow. In a process of its own, since it replaces the allocator and counts pages.

mod soak;
mod training;
