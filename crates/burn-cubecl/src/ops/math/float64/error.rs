use super::{copy_sign, exp, is_nan, magnitude};
use cubecl::prelude::*;

/// Gauss error function. Below 1 by a polynomial in `x^2`, above as `1 - e^(-x^2) q / (1 + 2 x)` by one in
/// `(x - 3) / (x + 3)`.
#[cube]
pub fn error_function(x: f64) -> f64 {
    let z = x * x;
    let p = z * -7.795_898_827_002_142e-10f64 + 1.372_006_454_677_768_6e-8f64;
    let p = p * z - 1.620_848_380_187_170_5e-7f64;
    let p = p * z + 1.644_742_470_331_736_2e-6f64;
    let p = p * z - 1.492_473_690_741_966e-5f64;
    let p = p * z + 0.000_120_552_949_048_397_07f64;
    let p = p * z - 0.000_854_832_597_538_969_2f64;
    let p = p * z + 0.005_223_977_607_116_422_5f64;
    let p = p * z - 0.026_866_170_643_237_77f64;
    let p = p * z + 0.112_837_916_709_450_06f64;
    let p = p * z - 0.376_126_389_031_835_43f64;
    let p = p * z + 0.128_379_167_095_512_56f64;
    let near = p * x + x;
    // From 6 on, the result is 1.
    let t = magnitude(x);
    let t = select(t > 6.0f64, 6.0f64, t);
    let u = (t - 3.0f64) / (t + 3.0f64);
    let q = u * 8.708_139_946_402_519e-7f64 + 3.433_262_053_654_614_3e-6f64;
    let q = q * u - 9.428_498_552_886_61e-7f64;
    let q = q * u - 2.014_908_533_820_312_8e-5f64;
    let q = q * u + 4.981_552_845_529_902e-6f64;
    let q = q * u + 0.000_125_111_372_734_401_3f64;
    let q = q * u - 0.000_105_162_090_755_605_04f64;
    let q = q * u - 0.000_779_833_498_694_369_8f64;
    let q = q * u + 0.001_888_690_435_755_151f64;
    let q = q * u + 0.002_529_391_880_016_659_6f64;
    let q = q * u - 0.023_770_514_919_645_32f64;
    let q = q * u + 0.068_308_027_342_260_13f64;
    let q = q * u - 0.119_273_663_415_303_68f64;
    let q = q * u + 0.129_645_158_702_781_98f64;
    let q = q * u - 0.047_562_294_353_450_85f64;
    let q = q * u - 0.135_621_106_124_581_25f64;
    let q = q * u + 1.253_008_058_269_729_6f64;
    let far = copy_sign(1.0f64 - exp(-(t * t)) * q / (1.0f64 + 2.0f64 * t), x);
    let result = select(magnitude(x) < 1.0f64, near, far);
    select(is_nan(x), x, result)
}

#[cube]
pub fn gelu(x: f64) -> f64 {
    x * 0.5f64 * (1.0f64 + error_function(x * 0.707_106_781_186_547_6f64))
}
