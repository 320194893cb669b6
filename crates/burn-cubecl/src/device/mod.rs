//! Devices: engines, memory, asynchronous kernel errors, vendor libraries and the choice of kernels.

pub mod arithmetic;
pub mod cache_dir;
pub mod catch_panic;
pub mod engine;
pub mod engine_registry;
pub mod error_text;
pub mod failed_buffers;
pub mod faults;
pub mod gpu;
pub mod guarded_server;
pub mod library;
pub mod library_warning;
pub mod memory;
pub mod memory_pool;
pub mod process_exit;
pub mod runtime;
pub mod tune;
pub mod warning;
