use serde::{Deserialize, Serialize};

/// Float format of eight bits: a sign, an exponent, a fraction ("OCP 8-bit Floating Point Specification",
/// 2023).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Float8 {
    /// Four bits of exponent and three of fraction: up to 448, no infinity, NaN where all seven bits are set.
    E4M3,
    /// Five bits of exponent and two of fraction: up to 57344, infinity and NaN as in IEEE 754.
    E5M2,
}

/// Code of NaN, without a sign: the same in both formats.
pub const FLOAT8_NAN: u8 = 0x7F;

impl Float8 {
    pub const fn fraction_bits(self) -> u32 {
        match self {
            Float8::E4M3 => 3,
            Float8::E5M2 => 2,
        }
    }

    /// Returns the exponent bias.
    pub const fn bias(self) -> i32 {
        match self {
            Float8::E4M3 => 7,
            Float8::E5M2 => 15,
        }
    }

    /// Returns the largest finite number, and its code.
    pub const fn largest(self) -> (f32, u8) {
        match self {
            Float8::E4M3 => (448.0, 0x7E),
            Float8::E5M2 => (57344.0, 0x7B),
        }
    }

    /// Decodes a number.
    pub fn decode(self, code: u8) -> f32 {
        let fraction = self.fraction_bits();
        let magnitude = u32::from(code & 0x7F);
        let sign = u32::from(code & 0x80) << 24;
        let largest = u32::from(self.largest().1);
        if magnitude > largest {
            let infinite = matches!(self, Float8::E5M2) && magnitude == largest + 1;
            return f32::from_bits(sign | if infinite { 0x7F80_0000 } else { 0x7FC0_0000 });
        }
        // The exponent of an f32 that is too small by the difference of the biases, which the factor makes up
        // for.
        let shifted = f32::from_bits(magnitude << (23 - fraction));
        let scale = f32::from_bits(((127 + 127 - self.bias()) as u32) << 23);
        f32::from_bits(sign | (shifted * scale).to_bits())
    }

    /// Encodes the number nearest to `x`, ties to even. Larger numbers saturate to the largest; zero and NaN
    /// have no sign.
    pub fn encode(self, x: f64) -> u8 {
        if x.is_nan() {
            return FLOAT8_NAN;
        }
        let (size, (largest, most)) = (libm::fabs(x), self.largest());
        let code = if size >= f64::from(largest) {
            most
        } else {
            // Numbers of one exponent are as far from each other as those below the smallest normal one.
            let exponent = libm::ilogb(size).max(1 - self.bias());
            let fraction = self.fraction_bits() as i32;
            let steps = libm::rint(libm::scalbn(size, fraction - exponent)) as i32;
            (((exponent + self.bias() - 1) << fraction) + steps) as u8
        };
        if x < 0.0 && code > 0 { code | 0x80 } else { code }
    }
}

#[cfg(test)]
mod tests {
    use super::{FLOAT8_NAN, Float8};

    /// Table 1 of the specification, as a formula of its own.
    fn value(code: u8, exponent_bits: u32, fraction_bits: u32, bias: i32) -> f64 {
        let exponent = i32::from(code >> fraction_bits) & ((1 << exponent_bits) - 1);
        let fraction = f64::from(code & ((1 << fraction_bits) - 1)) / f64::from(1 << fraction_bits);
        let sign = if code & 0x80 == 0 { 1.0 } else { -1.0 };
        let whole = if exponent == 0 { 0.0 } else { 1.0 };
        sign * (whole + fraction) * 2_f64.powi(exponent.max(1) - bias)
    }

    #[test]
    fn decode_is_the_table_of_the_specification() {
        for code in 0..=255_u8 {
            let found = f64::from(Float8::E4M3.decode(code));
            match code & 0x7F {
                0x7F => assert!(found.is_nan(), "{code:#x}"),
                _ => assert_eq!(found.to_bits(), value(code, 4, 3, 7).to_bits(), "{code:#x}"),
            }
            let found = f64::from(Float8::E5M2.decode(code));
            match code & 0x7F {
                0x7D..=0x7F => assert!(found.is_nan(), "{code:#x}"),
                0x7C => assert_eq!(found, if code < 0x80 { f64::INFINITY } else { f64::NEG_INFINITY }),
                _ => assert_eq!(found.to_bits(), value(code, 5, 2, 15).to_bits(), "{code:#x}"),
            }
        }
        // The numbers that the specification names.
        assert_eq!(
            [0x7E, 0x08, 0x07, 0x01].map(|code| Float8::E4M3.decode(code)),
            [448.0, 2_f32.powi(-6), 0.875 * 2_f32.powi(-6), 2_f32.powi(-9)]
        );
        assert_eq!(
            [0x7B, 0x04, 0x03, 0x01].map(|code| Float8::E5M2.decode(code)),
            [57344.0, 2_f32.powi(-14), 0.75 * 2_f32.powi(-14), 2_f32.powi(-16)]
        );
    }

    #[test]
    fn encode_finds_the_nearest_number_and_the_even_one_of_two() {
        for (format, most) in [(Float8::E4M3, 0x7E_u8), (Float8::E5M2, 0x7B)] {
            let at = |code: u8| f64::from(format.decode(code));
            for code in 0..most {
                let (low, high) = (at(code), at(code + 1));
                let middle = f64::midpoint(low, high);
                let even = code + code % 2;
                for (x, wanted) in [
                    (low, code),
                    (middle, even),
                    (middle.next_down(), code),
                    (middle.next_up(), code + 1),
                    (high, code + 1),
                ] {
                    assert_eq!(format.encode(x), wanted, "{format:?} {x:e}");
                    let negative = if wanted == 0 { 0 } else { wanted | 0x80 };
                    assert_eq!(format.encode(-x), negative, "{format:?} {:e}", -x);
                }
            }
            for x in [at(most) * 1.01, 1e30, f64::MAX, f64::INFINITY] {
                assert_eq!([x, -x].map(|x| format.encode(x)), [most, most | 0x80]);
            }
            assert_eq!([0.0, -0.0, 1e-300, f64::NAN].map(|x| format.encode(x)), [0, 0, 0, FLOAT8_NAN]);
        }
    }
}
