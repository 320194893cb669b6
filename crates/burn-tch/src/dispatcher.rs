//! Operators of LibTorch that `tch` has no binding of, called by name through LibTorch's interface for C.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use tch::{TchError, Tensor};

type Result<T> = std::result::Result<T, TchError>;

/// Version of LibTorch that the values on the stack are laid out for: 2.11.
const VERSION: u64 = 2 << 56 | 11 << 48;

/// Functions of LibTorch's `torch/csrc/stable/c/shim.h`. A tensor is a pointer to one of C++, which is what
/// `tch` has too. Each gives 0, or another number when it failed.
mod shim {
    use super::{c_char, c_int, c_void};

    unsafe extern "C" {
        pub(super) fn aoti_torch_new_tensor_handle(tensor: *const c_void, made: *mut *mut c_void) -> c_int;
        pub(super) fn torch_new_list_reserve_size(size: usize, made: *mut *mut c_void) -> c_int;
        pub(super) fn torch_list_push_back(list: *mut c_void, element: u64) -> c_int;
        pub(super) fn torch_call_dispatcher(
            name: *const c_char,
            overload: *const c_char,
            stack: *mut u64,
            version: u64,
        ) -> c_int;
    }

    // Declared in `torch/csrc/inductor/aoti_torch/generated/c_shim_cpu.h`.
    unsafe extern "C" {
        pub(super) fn aoti_torch_cpu_add_Tensor(
            x: *const c_void,
            y: *const c_void,
            factor: f64,
            made: *mut *mut c_void,
        ) -> c_int;
        pub(super) fn aoti_torch_cpu_mul_Tensor(
            x: *const c_void,
            y: *const c_void,
            made: *mut *mut c_void,
        ) -> c_int;
    }

    unsafe extern "C" {
        /// `operator new`: the called function frees with `delete`.
        #[link_name = "_Znwm"]
        pub(super) fn allocate(size: usize) -> *mut c_void;
    }
}

/// The sum of two tensors of floats on the processor. The kernel is called past the dispatcher, which takes
/// longer than the kernel where there are few elements.
///
/// # Errors
/// Those of `f_add`.
pub fn add(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    // SAFETY: both tensors are alive, and the result is a new owned handle.
    let found = made(|made| unsafe {
        shim::aoti_torch_cpu_add_Tensor(x.as_ptr().cast(), y.as_ptr().cast(), 1.0, made)
    });
    found.map_or_else(|| x.f_add(y), Ok)
}

/// The product of two tensors of floats on the processor, as [`add`].
///
/// # Errors
/// Those of `f_mul`.
pub fn mul(x: &Tensor, y: &Tensor) -> Result<Tensor> {
    // SAFETY: as in `add`.
    let found =
        made(|made| unsafe { shim::aoti_torch_cpu_mul_Tensor(x.as_ptr().cast(), y.as_ptr().cast(), made) });
    found.map_or_else(|| x.f_mul(y), Ok)
}

/// The result of a function that writes a new tensor; `None` where it failed, and has printed why.
#[inline]
fn made(function: impl FnOnce(*mut *mut c_void) -> c_int) -> Option<Tensor> {
    let mut made = ptr::null_mut();
    let code = function(&raw mut made);
    // SAFETY: the call returned an owned tensor, to which this is the only handle.
    (code == 0).then(|| unsafe { Tensor::from_ptr(made.cast()) })
}

/// An argument of an operator.
#[derive(Clone, Copy)]
pub enum Argument<'a> {
    Tensor(&'a Tensor),
    /// A tensor of which the operator may be given none.
    Optional(Option<&'a Tensor>),
    Int(i64),
    Float(f64),
    /// A float where the operator may be given none.
    SomeFloat(f64),
    Bool(bool),
    Ints(&'a [i64]),
    Bools(&'a [bool]),
    /// The absence of an optional list.
    Nothing,
}

fn check(operator: &CStr, code: c_int) -> Result<()> {
    match code {
        0 => Ok(()),
        _ => Err(TchError::Torch(format!("{} failed", operator.to_string_lossy()))),
    }
}

impl Argument<'_> {
    /// The argument as it lies on the stack, which owns it.
    ///
    /// # Safety
    /// The value must be taken from the stack by an operator.
    unsafe fn on_stack(self, operator: &CStr) -> Result<u64> {
        match self {
            Argument::Tensor(x) => {
                let mut handle = ptr::null_mut();
                // SAFETY: `x` is alive, and the new handle has a reference of its own.
                check(operator, unsafe {
                    shim::aoti_torch_new_tensor_handle(x.as_ptr().cast(), &mut handle)
                })?;
                Ok(handle as u64)
            }
            // SAFETY: as the caller says.
            Argument::Optional(Some(x)) => Ok(present(unsafe { Argument::Tensor(x).on_stack(operator)? })),
            Argument::SomeFloat(value) => Ok(present(value.to_bits())),
            Argument::Optional(None) | Argument::Nothing => Ok(0),
            Argument::Int(value) => Ok(value as u64),
            Argument::Float(value) => Ok(value.to_bits()),
            Argument::Bool(value) => Ok(value.into()),
            Argument::Ints(values) => list(operator, values.iter().map(|&value| value as u64)),
            Argument::Bools(values) => list(operator, values.iter().map(|&value| value.into())),
        }
    }
}

/// A value of an optional argument: a heap cell that holds it, which the operator deletes.
fn present(value: u64) -> u64 {
    // SAFETY: the cell is as large as a value.
    unsafe {
        let cell = shim::allocate(size_of::<u64>()).cast::<u64>();
        cell.write(value);
        cell as u64
    }
}

fn list(operator: &CStr, values: impl ExactSizeIterator<Item = u64>) -> Result<u64> {
    let mut list = ptr::null_mut();
    // SAFETY: the list is LibTorch's own, and values are numbers.
    unsafe {
        check(operator, shim::torch_new_list_reserve_size(values.len(), &mut list))?;
        for value in values {
            check(operator, shim::torch_list_push_back(list, value))?;
        }
    }
    Ok(list as u64)
}

/// Calls an operator that has `N` tensors as results, of which those that were not asked for are undefined.
/// One that has numbers among its results can't be called by name.
///
/// # Errors
/// When the operator fails, whose cause LibTorch prints.
pub fn call<const N: usize>(operator: &CStr, arguments: &[Argument<'_>]) -> Result<[Tensor; N]> {
    let mut stack = Vec::with_capacity(arguments.len().max(N));
    for argument in arguments {
        // SAFETY: the operator is called with the stack below.
        stack.push(unsafe { argument.on_stack(operator)? });
    }
    stack.resize(arguments.len().max(N), 0);
    // SAFETY: the stack has a value for each argument, and a slot for each result.
    let code =
        unsafe { shim::torch_call_dispatcher(operator.as_ptr(), c"".as_ptr(), stack.as_mut_ptr(), VERSION) };
    check(operator, code)?;
    // SAFETY: the results are owned tensors of C++, to which these are the only handles.
    Ok(std::array::from_fn(|at| unsafe { Tensor::from_ptr(stack[at] as *mut _) }))
}

#[cfg(test)]
mod tests {
    use super::{Argument, call};
    use tch::Tensor;

    #[test]
    fn floats_pass_through_the_stack() {
        // Attention to one key gives its value, and the logarithm of the sum is the scaled product.
        let row = |values: [f64; 2]| Tensor::from_slice(&values).reshape([1, 1, 1, 2]);
        let (query, key, value) = (row([1.0, 3.0]), row([-2.0, 5.0]), row([7.0, 11.0]));
        let arguments = [
            Argument::Tensor(&query),
            Argument::Tensor(&key),
            Argument::Tensor(&value),
            Argument::Float(0.0),
            Argument::Bool(false),
            Argument::Optional(None),
            Argument::SomeFloat(0.25),
        ];
        let operator = c"aten::_scaled_dot_product_flash_attention_for_cpu";
        let [output, sums] = call(operator, &arguments).unwrap();
        assert_eq!(Vec::<f64>::try_from(output.flatten(0, -1)).unwrap(), [7.0, 11.0]);
        assert_eq!(Vec::<f64>::try_from(sums.flatten(0, -1)).unwrap(), [3.25]);
    }
}
