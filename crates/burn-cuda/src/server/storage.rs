use crate::driver::{Context, check};
use cubecl::backtrace::BackTrace;
use cubecl::server::IoError;
use cubecl_runtime::memory_management::{MemoryConfiguration, MemoryPoolOptions, PoolType};
use cubecl_runtime::storage::{ComputeStorage, StorageHandle, StorageId, StorageUtilization};
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdeviceptr, CUmemPool_attribute, CUstream};
use std::collections::HashMap;
use std::fmt;

/// Alignment of pages and buffers in bytes, the same as the driver's.
pub const ALIGNMENT: u64 = 512;
/// Bytes of freed pages that the driver keeps for the next page, instead of giving them back to the system.
pub const KEPT: u64 = 256 << 20;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Returns the memory pools: small tensors share pages; large ones have a page each, at most a fifth larger.
pub fn pools(total: u64) -> MemoryConfiguration {
    let shared = |page_size, max_slice_size| PoolType::SlicedPages { page_size, max_slice_size };
    let mut types = vec![
        shared(256 * KIB, 2 * KIB),
        shared(2 * MIB, 32 * KIB),
        shared(8 * MIB, 256 * KIB),
        shared(32 * MIB, 4 * MIB),
    ];
    let mut size = 4 * MIB;
    while size < total {
        size = (size + size / 4).next_multiple_of(ALIGNMENT);
        types.push(PoolType::ExclusivePages { max_alloc_size: size });
    }
    let options = |pool_type| MemoryPoolOptions { pool_type, dealloc_period: None };
    MemoryConfiguration::Custom { pool_options: types.into_iter().map(options).collect() }
}

/// Memory of the device that a tensor lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    pub pointer: CUdeviceptr,
    pub size: u64,
}

/// Pages of memory. They are allocated and freed in the order of the stream, from a pool of the driver's.
pub struct Pages {
    pages: HashMap<StorageId, CUdeviceptr>,
    /// None where the device has no such pools; then pages are allocated and freed at once.
    pool: Option<sys::CUmemoryPool>,
    stream: CUstream,
}

// SAFETY: the pointers are of the driver's, which any thread may use; the one that owns this does.
unsafe impl Send for Pages {}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("pages", &self.pages.len()).finish_non_exhaustive()
    }
}

impl Pages {
    pub fn new(context: &Context, stream: CUstream) -> Self {
        let has_pools =
            context.attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0;
        let pool = has_pools.then(|| Self::pool(context)).flatten();
        Pages { pages: HashMap::new(), pool, stream }
    }

    /// A pool of our own: others of the process keep their policy.
    fn pool(context: &Context) -> Option<sys::CUmemoryPool> {
        // SAFETY: all fields of the properties are numbers or pointers that may be null, and zero is a right
        // value.
        let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
        // The number of the device is in a union since CUDA 13.2, at the offset where it was.
        let location: *mut i32 = (&raw mut properties.location).cast();
        // SAFETY: a location is two numbers of 32 bits, its type and its number.
        unsafe { location.add(1).write(context.device.index as i32) };
        // SAFETY: the properties are whole.
        let pool = unsafe { result::mem_pool::create(&properties) }.ok()?;
        let mut kept = KEPT;
        let threshold = CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        // SAFETY: the attribute is a number of 64 bits.
        let _ = unsafe { result::mem_pool::set_attribute(pool, threshold, (&raw mut kept).cast()) };
        Some(pool)
    }

    /// Waits for the stream and gives all that is freed back to the system.
    pub fn trim(&mut self) {
        // SAFETY: stream and pool live as long as the process.
        let _ = unsafe { result::stream::synchronize(self.stream) };
        if let Some(pool) = self.pool {
            // SAFETY: as above.
            let _ = unsafe { result::mem_pool::trim_to(pool, 0) };
        }
    }
}

impl ComputeStorage for Pages {
    type Resource = DeviceMemory;

    fn alignment(&self) -> usize {
        ALIGNMENT as usize
    }

    fn get(&mut self, handle: &StorageHandle) -> DeviceMemory {
        let page = self.pages[&handle.id];
        DeviceMemory { pointer: page + handle.offset(), size: handle.size() }
    }

    fn alloc(&mut self, size: u64) -> Result<StorageHandle, IoError> {
        // SAFETY: pool and stream are alive; the memory is written before it is read.
        let page = unsafe {
            match self.pool {
                Some(pool) => result::mem_pool::alloc_async(pool, size as usize, self.stream),
                None => result::malloc_sync(size as usize),
            }
        };
        let page = check("cuMemAllocAsync", page).map_err(|error| IoError::Unknown {
            description: error.to_string(),
            backtrace: BackTrace::capture(),
        })?;
        let id = StorageId::new();
        self.pages.insert(id, page);
        Ok(StorageHandle::new(id, StorageUtilization { offset: 0, size }))
    }

    fn dealloc(&mut self, id: StorageId) {
        let Some(page) = self.pages.remove(&id) else { return };
        // SAFETY: the page is ours and no longer known; what is in the stream already may still use it.
        let _ = unsafe {
            match self.pool {
                Some(_) => result::free_async(page, self.stream),
                None => result::free_sync(page),
            }
        };
    }

    /// Pages are freed at once: the stream keeps the order.
    fn flush(&mut self) {}
}
