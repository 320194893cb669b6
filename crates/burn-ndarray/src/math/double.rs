//! Elementary functions of `f64`: those of the standard library, or of `libm` where there is none.

macro_rules! library {
    ($($name:ident = $std:ident or $libm:ident;)*) => {$(
        #[inline(always)]
        pub fn $name(x: f64) -> f64 {
            #[cfg(feature = "std")]
            return x.$std();
            #[cfg(not(feature = "std"))]
            libm::$libm(x)
        }
    )*};
}

library! {
    exp = exp or exp;
    exp_m1 = exp_m1 or expm1;
    log = ln or log;
    log1p = ln_1p or log1p;
    sin = sin or sin;
    cos = cos or cos;
    tan = tan or tan;
    asin = asin or asin;
    acos = acos or acos;
    atan = atan or atan;
    sinh = sinh or sinh;
    cosh = cosh or cosh;
    tanh = tanh or tanh;
}

#[cfg(not(feature = "std"))]
pub use libm::{ceil, floor, rint as round, sqrt, trunc};

#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.powf(y);
    #[cfg(not(feature = "std"))]
    libm::pow(x, y)
}

#[inline(always)]
pub fn hypot(x: f64, y: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.hypot(y);
    #[cfg(not(feature = "std"))]
    libm::hypot(x, y)
}

#[inline(always)]
pub fn atan2(x: f64, y: f64) -> f64 {
    #[cfg(feature = "std")]
    return x.atan2(y);
    #[cfg(not(feature = "std"))]
    libm::atan2(x, y)
}
