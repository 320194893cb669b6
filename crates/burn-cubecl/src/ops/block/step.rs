use super::corrected::{self, Corrected};
use super::value::KernelValue;
use super::{float64, half, number};
use crate::device::arithmetic::Abilities;
use crate::launch::element::{computed, is_half, is_narrow, storage};
use crate::ops::math;
use burn_backend::{BinaryOp, CompareOp, DType, UnaryOp};
use cubecl::ir::{ConstantValue, ManagedVariable, Scope, StorageType};
use cubecl::prelude::*;

cubecl::define_scalar!(N);
cubecl::define_scalar!(M);

/// Writes the functions of the families; `match` happens while the kernel is compiled.
#[derive(Debug)]
pub struct Steps<'a> {
    pub scope: &'a mut Scope,
    pub abilities: Abilities,
}

impl Steps<'_> {
    /// Sets the type of `N`.
    fn of(&mut self, dtype: DType) {
        self.scope.register_type::<N>(computed(dtype));
    }

    /// A variable of one type as one of another.
    fn converted(&mut self, x: &ManagedVariable, from: StorageType, to: StorageType) -> ManagedVariable {
        self.scope.register_type::<N>(from);
        self.scope.register_type::<M>(to);
        let x: NativeExpand<N> = x.clone().into();
        number::convert::expand::<N, M>(self.scope, x).into()
    }

    /// Rounds to the element type of `value`, where steps compute in a wider type: floats to the nearest,
    /// integers to the low bits.
    pub fn rounded(&mut self, value: KernelValue) -> KernelValue {
        if !is_narrow(value.dtype) {
            return value;
        }
        let nearest = self.nearest(&value);
        let stored = self.converted(&nearest, computed(value.dtype), storage(value.dtype));
        self.widened(stored, value.dtype)
    }

    /// Returns the value to convert to the narrow type, already rounded where the conversion does not round.
    fn nearest(&mut self, value: &KernelValue) -> ManagedVariable {
        if self.abilities.narrows || !is_half(value.dtype) {
            return value.variable.clone();
        }
        let nearest =
            if value.dtype == DType::F16 { half::nearest_half::expand } else { half::nearest_brain::expand };
        nearest(self.scope, value.get::<f32>()).into()
    }

    /// Converts a stored narrow element to the type of computation.
    fn widened(&mut self, stored: ManagedVariable, dtype: DType) -> KernelValue {
        let variable = self.converted(&stored, storage(dtype), computed(dtype));
        KernelValue { variable, dtype, stored: Some(stored) }
    }

    fn constant(&mut self, value: i64, unsigned: u64, dtype: DType) -> NativeExpand<N> {
        self.of(dtype);
        let value = if dtype.is_signed() { ConstantValue::Int(value) } else { ConstantValue::UInt(unsigned) };
        NativeExpand::from_lit(self.scope, value)
    }

    /// A number that is known when the kernel is compiled, of a float type.
    pub fn float(&mut self, value: f64, dtype: DType) -> KernelValue {
        self.of(dtype);
        KernelValue::new(NativeExpand::<N>::from_lit(self.scope, ConstantValue::Float(value)), dtype)
    }

    /// The element of array `list`, of elements of `dtype`, at `index`.
    pub fn load(&mut self, list: &ManagedVariable, dtype: DType, index: NativeExpand<u32>) -> KernelValue {
        #[cube]
        fn read<N: Numeric>(list: &Array<N>, index: u32) -> N {
            list[index as usize]
        }
        self.scope.register_type::<N>(storage(dtype));
        let list: NativeExpand<Array<N>> = list.clone().into();
        let value = read::expand::<N>(self.scope, list, index);
        self.loaded(value.into(), dtype)
    }

    /// Converts a loaded element to the type of computation.
    pub fn loaded(&mut self, stored: ManagedVariable, dtype: DType) -> KernelValue {
        if dtype == DType::Bool {
            self.scope.register_type::<N>(storage(dtype));
            return KernelValue::new(number::is_true::expand::<N>(self.scope, stored.into()), dtype);
        }
        if is_narrow(dtype) {
            return self.widened(stored, dtype);
        }
        KernelValue { variable: stored, dtype, stored: None }
    }

    /// An element as it lies in a buffer.
    pub fn stored(&mut self, value: &KernelValue) -> ManagedVariable {
        let dtype = value.dtype;
        if let Some(stored) = &value.stored {
            return stored.clone();
        }
        if is_narrow(dtype) {
            return self.converted(&value.variable, computed(dtype), storage(dtype));
        }
        if dtype == DType::Bool {
            self.scope.register_type::<N>(storage(dtype));
            return number::of_bool::expand::<N>(self.scope, value.get()).into();
        }
        value.variable.clone()
    }

    /// Writes an element of an array.
    pub fn store(&mut self, list: &ManagedVariable, index: NativeExpand<u32>, value: &KernelValue) {
        #[cube]
        fn write<N: Numeric>(list: &mut Array<N>, index: u32, value: N) {
            list[index as usize] = value;
        }
        let stored = self.stored(value);
        self.scope.register_type::<N>(storage(value.dtype));
        write::expand::<N>(self.scope, list.clone().into(), index, stored.into());
    }

    /// A number that is given with each launch.
    pub fn scalar(&mut self, dtype: DType, low: NativeExpand<u32>, high: NativeExpand<u32>) -> KernelValue {
        if dtype == DType::Bool {
            self.of(DType::U32);
            let word = number::of_word::expand::<N>(self.scope, low);
            return KernelValue::new(number::is_true::expand::<N>(self.scope, word), dtype);
        }
        self.of(dtype);
        let value = match dtype.size() {
            8 => number::of_words::expand::<N>(self.scope, low, high),
            _ => number::of_word::expand::<N>(self.scope, low),
        };
        KernelValue::new(value, dtype)
    }

    pub fn unary(&mut self, op: UnaryOp, x: &KernelValue) -> KernelValue {
        let dtype = x.dtype;
        if dtype == DType::Bool {
            assert!(op == UnaryOp::Not, "{} of bools", op.name());
            return KernelValue::new(number::flip::expand(self.scope, x.get()), dtype);
        }
        if dtype.is_int() {
            return self.unary_int(op, x);
        }
        let result = self.unary_float(op, x);
        if is_exact(op) { result } else { self.rounded(result) }
    }

    fn unary_int(&mut self, op: UnaryOp, x: &KernelValue) -> KernelValue {
        use UnaryOp::*;
        let (dtype, signed) = (x.dtype, x.dtype.is_signed());
        self.of(dtype);
        let (scope, x) = (&mut *self.scope, x.get::<N>());
        let result = match op {
            Neg => number::int_neg::expand::<N>(scope, x),
            Abs => number::int_abs::expand::<N>(scope, x, signed),
            Sign => number::int_sign::expand::<N>(scope, x, signed),
            Square => number::mul::expand::<N>(scope, x.clone(), x),
            Relu => number::int_relu::expand::<N>(scope, x, signed),
            Not => number::int_not::expand::<N>(scope, x),
            Exp | ExpM1 | Log | Log1p | Sqrt | Recip | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh
            | Tanh | Asinh | Acosh | Atanh | Erf | Sigmoid | LogSigmoid | Gelu | GeluTanh | Silu | Floor
            | Ceil | Round | Trunc => unreachable!("{} of integers", op.name()),
        };
        self.rounded(KernelValue::new(result, dtype))
    }

    fn unary_float(&mut self, op: UnaryOp, x: &KernelValue) -> KernelValue {
        use UnaryOp::*;
        let dtype = x.dtype;
        if dtype == DType::F64 {
            return float64::unary(self.scope, op, x);
        }
        let Abilities { is_wide: wide, has_exp, .. } = self.abilities;
        let (scope, x) = (&mut *self.scope, x.get::<f32>());
        let result = match op {
            Neg => number::float_neg::expand(scope, x),
            Abs => math::magnitude::expand(scope, x),
            Sign => number::float_sign::expand(scope, x),
            Square => {
                scope.register_type::<N>(computed(dtype));
                let x: NativeExpand<N> = x.expand.into();
                number::mul::expand::<N>(scope, x.clone(), x).expand.into()
            }
            Exp if has_exp => math::native_exp::expand(scope, x),
            Exp => math::exp::expand(scope, x),
            ExpM1 => math::exp_m1::expand(scope, x),
            Log => math::log::expand(scope, x),
            Log1p => math::log1p::expand(scope, x),
            Sqrt => number::float_sqrt::expand(scope, x),
            Recip => number::float_recip::expand(scope, x),
            Sin if wide => math::sin::expand(scope, x),
            Cos if wide => math::cos::expand(scope, x),
            Tan if wide => math::tan::expand(scope, x),
            Sin => math::native_sin::expand(scope, x),
            Cos => math::native_cos::expand(scope, x),
            Tan => math::native_tan::expand(scope, x),
            Asin => math::asin::expand(scope, x),
            Acos => math::acos::expand(scope, x),
            Atan => math::atan::expand(scope, x),
            Sinh => math::sinh::expand(scope, x),
            Cosh => math::cosh::expand(scope, x),
            Tanh => math::tanh::expand(scope, x),
            Asinh => math::asinh::expand(scope, x),
            Acosh => math::acosh::expand(scope, x),
            Atanh => math::atanh::expand(scope, x),
            Erf if is_half(dtype) => math::short_error_function::expand(scope, x),
            Erf => math::error_function::expand(scope, x),
            Sigmoid if has_exp => math::native_sigmoid::expand(scope, x),
            Sigmoid => math::sigmoid::expand(scope, x),
            LogSigmoid => math::log_sigmoid::expand(scope, x),
            Relu => number::float_relu::expand(scope, x),
            Gelu => math::gelu::expand(scope, x),
            GeluTanh if has_exp => math::native_gelu_tanh::expand(scope, x),
            GeluTanh => math::gelu_tanh::expand(scope, x),
            Silu if has_exp => math::native_silu::expand(scope, x),
            Silu => math::silu::expand(scope, x),
            Floor => number::float_floor::expand(scope, x),
            Ceil => number::float_ceil::expand(scope, x),
            Round => number::float_round::expand(scope, x),
            Trunc => number::float_trunc::expand(scope, x),
            Not => unreachable!("{} of floats", op.name()),
        };
        KernelValue::new(result, dtype)
    }

    pub fn binary(&mut self, op: BinaryOp, x: &KernelValue, y: &KernelValue) -> KernelValue {
        if x.dtype == DType::Bool {
            return self.binary_bool(op, x, y);
        }
        if x.dtype.is_int() {
            return self.binary_int(op, x, y);
        }
        let result = self.binary_float(op, x, y);
        if matches!(op, BinaryOp::Max | BinaryOp::Min | BinaryOp::ReluGrad) {
            result
        } else {
            self.rounded(result)
        }
    }

    fn binary_bool(&mut self, op: BinaryOp, x: &KernelValue, y: &KernelValue) -> KernelValue {
        use BinaryOp::*;
        let (scope, left, right) = (&mut *self.scope, x.get(), y.get());
        let result = match op {
            And => number::both::expand(scope, left, right),
            Or => number::either::expand(scope, left, right),
            Xor => number::differ::expand(scope, left, right),
            Add | Sub | Mul | Div | Remainder | Fmod | Pow | Atan2 | Hypot | Max | Min | ShiftLeft
            | ShiftRight | ReluGrad => unreachable!("{} of bools", op.name()),
        };
        KernelValue::new(result, DType::Bool)
    }

    fn binary_int(&mut self, op: BinaryOp, x: &KernelValue, y: &KernelValue) -> KernelValue {
        use BinaryOp::*;
        let (dtype, signed, bits) = (x.dtype, x.dtype.is_signed(), 8 * x.dtype.size() as i64);
        self.of(dtype);
        let (scope, x, y) = (&mut *self.scope, x.get::<N>(), y.get::<N>());
        let result = match op {
            Add => number::add::expand::<N>(scope, x, y),
            Sub => number::sub::expand::<N>(scope, x, y),
            Mul => number::mul::expand::<N>(scope, x, y),
            Div => number::int_div::expand::<N>(scope, x, y, signed),
            Remainder => number::int_remainder::expand::<N>(scope, x, y, signed),
            Fmod => number::int_fmod::expand::<N>(scope, x, y, signed),
            Pow => number::int_pow::expand::<N>(scope, x, y, signed),
            Max => number::int_max::expand::<N>(scope, x, y),
            Min => number::int_min::expand::<N>(scope, x, y),
            And => number::int_and::expand::<N>(scope, x, y),
            Or => number::int_or::expand::<N>(scope, x, y),
            Xor => number::int_xor::expand::<N>(scope, x, y),
            ShiftLeft => number::int_shift_left::expand::<N>(scope, x, y, bits),
            ShiftRight => number::int_shift_right::expand::<N>(scope, x, y, bits, signed),
            Atan2 | Hypot | ReluGrad => unreachable!("{} of integers", op.name()),
        };
        self.rounded(KernelValue::new(result, dtype))
    }

    fn binary_float(&mut self, op: BinaryOp, x: &KernelValue, y: &KernelValue) -> KernelValue {
        use BinaryOp::*;
        let dtype = x.dtype;
        self.of(dtype);
        if dtype == DType::F64 {
            return float64::binary(self.scope, op, x, y);
        }
        let (n, m) = (x.get::<N>(), y.get::<N>());
        let (wide, scope, x, y) = (self.abilities.is_wide, &mut *self.scope, x.get::<f32>(), y.get::<f32>());
        let result: NativeExpand<f32> = match op {
            Add => number::add::expand::<N>(scope, n, m).expand.into(),
            Sub => number::sub::expand::<N>(scope, n, m).expand.into(),
            Mul => number::mul::expand::<N>(scope, n, m).expand.into(),
            Div => number::float_div::expand(scope, x, y),
            Max => number::float_max::expand(scope, x, y),
            Min => number::float_min::expand(scope, x, y),
            ReluGrad => number::float_relu_grad::expand(scope, x, y),
            Atan2 => math::atan2::expand(scope, x, y),
            Remainder if wide => math::remainder::expand(scope, x, y),
            Fmod if wide => math::fmod::expand(scope, x, y),
            Pow if wide => math::pow::expand(scope, x, y),
            Hypot if wide => math::length::expand(scope, x, y),
            Remainder => math::narrow_remainder::expand(scope, x, y),
            Fmod => math::narrow_fmod::expand(scope, x, y),
            Pow => math::native_pow::expand(scope, x, y),
            Hypot => math::narrow_length::expand(scope, x, y),
            And | Or | Xor | ShiftLeft | ShiftRight => unreachable!("{} of floats", op.name()),
        };
        KernelValue::new(result, dtype)
    }

    /// `x / y`, given the rounded `1 / y`.
    pub fn quotient(&mut self, x: &KernelValue, y: &KernelValue, inverse: &KernelValue) -> KernelValue {
        KernelValue::new(number::quotient::expand(self.scope, x.get(), y.get(), inverse.get()), x.dtype)
    }

    /// Computes the nearest number, where it is normal: a fused multiplication finds the error of the
    /// instruction.
    pub fn corrected(&mut self, op: Corrected, x: &KernelValue, y: &KernelValue) -> KernelValue {
        if x.dtype != DType::F32 {
            return match op {
                Corrected::Quotient => self.binary(BinaryOp::Div, x, y),
                Corrected::Inverse => self.unary(UnaryOp::Recip, x),
                Corrected::Root => self.unary(UnaryOp::Sqrt, x),
            };
        }
        let scope = &mut *self.scope;
        let result = match op {
            Corrected::Quotient => corrected::quotient::expand(scope, x.get(), y.get()),
            Corrected::Inverse => corrected::quotient::expand(scope, 1.0_f32.into(), x.get()),
            Corrected::Root => corrected::root::expand(scope, x.get()),
        };
        KernelValue::new(result, x.dtype)
    }

    pub fn compare(&mut self, op: CompareOp, x: &KernelValue, y: &KernelValue) -> KernelValue {
        let (x, y) = if x.dtype == DType::Bool {
            (self.cast(x, DType::U32), self.cast(y, DType::U32))
        } else {
            (x.clone(), y.clone())
        };
        self.of(x.dtype);
        let (scope, x, y) = (&mut *self.scope, x.get::<N>(), y.get::<N>());
        let result = match op {
            CompareOp::Equal => number::equal::expand::<N>(scope, x, y),
            CompareOp::NotEqual => {
                let equal = number::equal::expand::<N>(scope, x, y);
                number::flip::expand(scope, equal)
            }
            CompareOp::Less => number::less::expand::<N>(scope, x, y),
            CompareOp::LessEqual => number::less_equal::expand::<N>(scope, x, y),
            CompareOp::Greater => number::less::expand::<N>(scope, y, x),
            CompareOp::GreaterEqual => number::less_equal::expand::<N>(scope, y, x),
        };
        KernelValue::new(result, DType::Bool)
    }

    pub fn choose(&mut self, mask: &KernelValue, on: &KernelValue, off: &KernelValue) -> KernelValue {
        if let (Some(on_stored), Some(off_stored)) = (&on.stored, &off.stored) {
            self.scope.register_type::<N>(storage(on.dtype));
            let (on_stored, off_stored) = (on_stored.clone().into(), off_stored.clone().into());
            let stored = number::choose::expand::<N>(self.scope, mask.get(), on_stored, off_stored);
            return self.widened(stored.into(), on.dtype);
        }
        self.of(on.dtype);
        let result = number::choose::expand::<N>(self.scope, mask.get(), on.get(), off.get());
        KernelValue::new(result, on.dtype)
    }

    pub fn cast(&mut self, x: &KernelValue, dtype: DType) -> KernelValue {
        if x.dtype == dtype {
            return x.clone();
        }
        if x.dtype == DType::Bool {
            self.of(dtype);
            return KernelValue::new(number::of_bool::expand::<N>(self.scope, x.get()), dtype);
        }
        if dtype == DType::Bool {
            self.of(x.dtype);
            return KernelValue::new(number::is_true::expand::<N>(self.scope, x.get()), dtype);
        }
        if x.dtype.is_float() && dtype.is_int() {
            let (low, high) = dtype.int_range();
            let unsigned = if dtype == DType::U64 { u64::MAX } else { high as u64 };
            let signed = if dtype == DType::I64 { i64::MAX } else { high as i64 };
            let least = self.constant(low as i64, 0, dtype);
            let largest = self.constant(signed, unsigned, dtype);
            if x.dtype == DType::F64 {
                let (low, high) = (low.into(), (high + 1.0).into());
                let result = float64::int::expand::<N>(self.scope, x.get(), low, high, least, largest);
                return KernelValue::new(result, dtype);
            }
            // Powers of two, which an f32 has, but for the zero below unsigned types.
            let low: NativeExpand<f32> = (low as f32).into();
            let high: NativeExpand<f32> = ((high + 1.0) as f32).into();
            let result = number::int_of_float::expand::<N>(self.scope, x.get(), low, high, least, largest);
            return KernelValue::new(result, dtype);
        }
        if dtype == DType::U64 && x.dtype.is_signed() && x.dtype != DType::I64 {
            // The sign is part of what a narrow integer is.
            let x = self.cast(x, DType::I64);
            return self.cast(&x, dtype);
        }
        let variable = self.converted(&x.variable, computed(x.dtype), computed(dtype));
        self.rounded(KernelValue { variable, dtype, stored: None })
    }
}

/// Whether the result has no more digits than the operand.
fn is_exact(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(op, Neg | Abs | Sign | Relu | Floor | Ceil | Round | Trunc)
}

/// Control flow, for kernels whose bodies depend on the element type.
impl Steps<'_> {
    /// Runs `body` for each number from `start` to below `end`.
    pub fn repeat(
        &mut self,
        start: NativeExpand<u32>,
        end: NativeExpand<u32>,
        mut body: impl FnMut(&mut Steps, NativeExpand<u32>),
    ) {
        let abilities = self.abilities;
        let range = RangeExpand { start, end, inclusive: false };
        branch::for_expand(self.scope, range, false, |scope, at| body(&mut Steps { scope, abilities }, at));
    }

    /// Runs `body` where the condition holds.
    pub fn when(&mut self, condition: NativeExpand<bool>, body: impl FnOnce(&mut Steps)) {
        let abilities = self.abilities;
        branch::if_expand(self.scope, condition, |scope| body(&mut Steps { scope, abilities }));
    }
}
