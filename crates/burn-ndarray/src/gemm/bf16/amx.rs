//! AMX: eight registers of 16 rows of 64 bytes, and an instruction that adds the product of two of them to a
//! third. Rust has no stable functions for these instructions, so that they are assembly here. Nothing else
//! uses the registers: code of the compiler has no tiles, so that they keep their elements between two blocks
//! of assembly, and the system saves them with a thread.

use super::engine::{Engine, Panels};

/// The instructions of AMX for `bf16`.
#[derive(Clone, Copy, Debug)]
pub struct Amx;

#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod instructions {
    use super::{Engine, Panels};
    use crate::gemm::bf16::engine::SIDE;
    use crate::gemm::bf16::pack::{BLOCK, LINES, PAIRS};
    use core::arch::asm;
    use core::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};

    /// Bytes of a row of a tile register.
    const ROW: usize = PAIRS * size_of::<u32>();

    /// Configuration of the tile registers: palette 1, then 64 bytes in a row of each of eight registers,
    /// then 16 rows of each.
    static SIZES: [u64; 8] =
        [1, 0, 0x0040_0040_0040_0040, 0x0040_0040_0040_0040, 0, 0, 0x1010_1010_1010_1010, 0];

    impl super::Amx {
        /// Whether the processor has the instructions, and the system saves the registers and lets this
        /// process use them: it must be asked, since they make the state of each thread 8 KiB longer.
        pub fn is_available() -> bool {
            const BF16_AND_TILES: u32 = 1 << 22 | 1 << 24;
            const SAVED_BY_SYSTEM: u32 = 1 << 27;
            const TILES: u64 = 1 << 17 | 1 << 18;
            const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
            const TILE_DATA: libc::c_long = 18;
            if __cpuid(0).eax < 7 || __cpuid(1).ecx & SAVED_BY_SYSTEM == 0 {
                return false;
            }
            if __cpuid_count(7, 0).edx & BF16_AND_TILES != BF16_AND_TILES {
                return false;
            }
            // SAFETY: the system saves extended states, so that the instruction exists.
            if unsafe { extended_states() } & TILES != TILES {
                return false;
            }
            // SAFETY: the call has no pointers; a system that does not know it answers with an error.
            unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, TILE_DATA) == 0 }
        }
    }

    /// The states of the processor that the system saves.
    ///
    /// # Safety
    /// The processor has `xgetbv`.
    #[target_feature(enable = "xsave")]
    unsafe fn extended_states() -> u64 {
        // SAFETY: by the contract.
        unsafe { _xgetbv(0) }
    }

    impl Engine for super::Amx {
        const READS_ROWS: bool = false;

        unsafe fn begin(self) {
            // SAFETY: by the contract; the sizes are as the instruction wants them.
            unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const SIZES, options(nostack, readonly)) };
        }

        unsafe fn end(self) {
            // SAFETY: by the contract.
            unsafe { asm!("tilerelease", options(nostack, nomem)) };
        }

        /// Registers 0 to 3 are the results, 4 and 5 the rows, 6 and 7 the columns.
        unsafe fn multiply(self, panels: &Panels, tile: *mut f32) {
            let (left, right) = (panels.left.start, panels.right);
            // SAFETY: by the contract: each round reads a block of the four panels, and a tile is written.
            unsafe {
                asm!(
                    "tilezero tmm0",
                    "tilezero tmm1",
                    "tilezero tmm2",
                    "tilezero tmm3",
                    "2:",
                    "tileloadd tmm6, [{right} + {row}]",
                    "tileloadd tmm4, [{left} + {row}]",
                    "tdpbf16ps tmm0, tmm4, tmm6",
                    "tileloadd tmm7, [{next_right} + {row}]",
                    "tdpbf16ps tmm1, tmm4, tmm7",
                    "tileloadd tmm5, [{next_left} + {row}]",
                    "tdpbf16ps tmm2, tmm5, tmm6",
                    "tdpbf16ps tmm3, tmm5, tmm7",
                    "add {left}, {block}",
                    "add {next_left}, {block}",
                    "add {right}, {block}",
                    "add {next_right}, {block}",
                    "dec {count}",
                    "jnz 2b",
                    "tilestored [{tile} + {tile_row}], tmm0",
                    "tilestored [{tile} + {tile_row} + {half_row}], tmm1",
                    "tilestored [{tile} + {tile_row} + {half}], tmm2",
                    "tilestored [{tile} + {tile_row} + {half} + {half_row}], tmm3",
                    left = inout(reg) left => _,
                    next_left = inout(reg) left.wrapping_add(panels.left.half) => _,
                    right = inout(reg) right => _,
                    next_right = inout(reg) right.wrapping_add(panels.panel()) => _,
                    count = inout(reg) panels.blocks => _,
                    row = in(reg) ROW,
                    tile = in(reg) tile,
                    tile_row = in(reg) SIDE * size_of::<f32>(),
                    block = const BLOCK * size_of::<u32>(),
                    half_row = const LINES * size_of::<f32>(),
                    half = const LINES * SIDE * size_of::<f32>(),
                    options(nostack),
                );
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
mod instructions {
    use super::{Engine, Panels};

    impl super::Amx {
        pub fn is_available() -> bool {
            false
        }
    }

    impl Engine for super::Amx {
        const READS_ROWS: bool = false;

        unsafe fn begin(self) {}

        unsafe fn end(self) {}

        unsafe fn multiply(self, _panels: &Panels, _tile: *mut f32) {
            unreachable!("this machine has no tiles");
        }
    }
}
