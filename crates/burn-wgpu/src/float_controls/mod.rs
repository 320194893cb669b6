//! Float controls in shaders for Vulkan. A driver may flush subnormals and ignore signs of zeros, infinities
//! and NaN unless a shader declares otherwise ("Floating-Point Controls" of SPIR-V, part of it from 1.4 on).
//! The kernel compiler declares nothing.
//!
//! The mode that rounds to nearest is left alone: drivers do so without it, and with all three one of
//! NVIDIA's takes fused multiplications apart.

#[cfg(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd"))]
mod device;

/// Widths of floats in bits.
const WIDTHS: [u32; 3] = [16, 32, 64];

/// Number of words before the first instruction of a module.
const HEADER: usize = 5;

const SPIRV_1_4: u32 = 0x0001_0400;

/// Numbers of instructions.
const ENTRY_POINT: u32 = 15;
const EXECUTION_MODE: u32 = 16;
const CAPABILITY: u32 = 17;
/// The capability for decorations of single instructions, which some modes exclude.
const FLOAT_CONTROLS_2: u32 = 6029;

/// A mode of a shader, and the capability that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mode {
    number: u32,
    capability: u32,
}

const DENORM_PRESERVE: Mode = Mode { number: 4459, capability: 4464 };
const SIGNED_ZERO_INF_NAN_PRESERVE: Mode = Mode { number: 4461, capability: 4466 };

/// The modes that a device has, with the widths that it has them for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FloatControls(Vec<(Mode, u32)>);

impl FloatControls {
    /// Shaders stay as they are compiled.
    pub fn none() -> Self {
        FloatControls::default()
    }

    fn add(&mut self, mode: Mode, has: [bool; 3]) {
        self.0.extend(WIDTHS.into_iter().zip(has).filter(|&(_, has)| has).map(|(width, _)| (mode, width)));
    }

    /// Writes the modes into an assembled module.
    pub fn add_to(&self, module: &mut Vec<u32>) {
        if self.0.is_empty() || module.get(1).is_none_or(|&version| version < SPIRV_1_4) {
            return;
        }
        let Some(entry) = EntryPoint::find(module) else { return };
        let modes = self
            .0
            .iter()
            .filter(|(mode, _)| !entry.is_by_instruction || *mode != SIGNED_ZERO_INF_NAN_PRESERVE);
        let execution = modes
            .clone()
            .flat_map(|&(mode, width)| [4 << 16 | EXECUTION_MODE, entry.function, mode.number, width]);
        module.splice(entry.end..entry.end, execution);
        let mut capabilities: Vec<u32> = modes.map(|(mode, _)| mode.capability).collect();
        capabilities.dedup();
        let capabilities = capabilities.into_iter().flat_map(|number| [2 << 16 | CAPABILITY, number]);
        module.splice(HEADER..HEADER, capabilities);
    }
}

/// Entry point of a module.
struct EntryPoint {
    function: u32,
    /// The word after the last of them, where modes begin.
    end: usize,
    /// Whether single instructions say what they keep.
    is_by_instruction: bool,
}

impl EntryPoint {
    fn find(module: &[u32]) -> Option<Self> {
        let (mut at, mut found, mut is_by_instruction) = (HEADER, None, false);
        while let Some(&first) = module.get(at) {
            let end = at + (first >> 16).max(1) as usize;
            match (first & 0xffff, found) {
                (CAPABILITY, _) => is_by_instruction |= module.get(at + 1) == Some(&FLOAT_CONTROLS_2),
                (ENTRY_POINT, _) => found = Some((*module.get(at + 2)?, end)),
                (_, Some(_)) => break,
                _ => {}
            }
            at = end;
        }
        found.map(|(function, end)| EntryPoint { function, end, is_by_instruction })
    }
}

#[cfg(not(any(windows, target_os = "linux", target_os = "android", target_os = "freebsd")))]
impl FloatControls {
    /// Returns no controls: only Vulkan has them.
    pub fn of(_adapter: &wgpu::Adapter) -> Self {
        FloatControls::none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controls() -> FloatControls {
        let mut all = FloatControls::none();
        all.add(DENORM_PRESERVE, [false, true, false]);
        all.add(SIGNED_ZERO_INF_NAN_PRESERVE, [true, true, false]);
        all
    }

    /// Capability Shader, a memory model, entry point 7 called "main" and its size, and a type.
    fn module(version: u32, capability: u32) -> Vec<u32> {
        let mut words = vec![0x0723_0203, version, 0, 20, 0];
        words.extend([2 << 16 | CAPABILITY, capability, 3 << 16 | 14, 0, 1]);
        words.extend([5 << 16 | ENTRY_POINT, 5, 7, u32::from_le_bytes(*b"main"), 0]);
        words.extend([6 << 16 | EXECUTION_MODE, 7, 17, 64, 1, 1, 2 << 16 | 19, 8]);
        words
    }

    #[test]
    fn capabilities_come_first_and_modes_behind_the_entry() {
        let mut words = module(0x0001_0500, 1);
        controls().add_to(&mut words);
        assert_eq!(words[..5], module(0x0001_0500, 1)[..5]);
        assert_eq!(words[5..10], [0x0002_0011, 4464, 0x0002_0011, 4466, 0x0002_0011]);
        let mode = |number, width| [0x0004_0010, 7, number, width];
        let modes = [mode(4459, 32), mode(4461, 16), mode(4461, 32)].concat();
        assert_eq!(words[19..31], modes);
        assert_eq!(words[31..], module(0x0001_0500, 1)[15..]);
    }

    #[test]
    fn what_excludes_each_other_is_not_written_together() {
        let mut words = module(0x0001_0600, FLOAT_CONTROLS_2);
        controls().add_to(&mut words);
        assert_eq!(words.len(), module(0, 0).len() + 2 + 4);
        assert!(words.contains(&4459) && !words.contains(&4461));
    }

    #[test]
    fn older_modules_and_what_is_none_stay_as_they_are() {
        let broken = vec![0x0723_0203, 0x0001_0500, 0, 1, 0, 0, 9 << 16 | ENTRY_POINT];
        for before in [module(0x0001_0300, 1), vec![], vec![1], broken] {
            let mut after = before.clone();
            controls().add_to(&mut after);
            assert_eq!(after, before);
        }
        let mut words = module(0x0001_0500, 1);
        FloatControls::none().add_to(&mut words);
        assert_eq!(words, module(0x0001_0500, 1));
    }
}
