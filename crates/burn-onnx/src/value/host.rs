use super::{Expr, Function};
use crate::error::{Outcome, fail, require};
use burn_ir::{DType, Scalar, TensorData};

/// Numbers of the host with an element type and dimensions: shapes, axes, scales, small constants.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Element type that ONNX gives them.
    pub dtype: DType,
    /// Size of each dimension; none of a scalar.
    pub dims: Vec<usize>,
    /// The numbers in row-major order.
    pub elements: Vec<Expr>,
}

/// The most numbers that functions of the host give.
const MOST_MAPPED: usize = 1 << 20;

/// Runs an expression with `E` naming the Rust type of a dtype.
macro_rules! with_element {
    ($dtype:expr, $E:ident => $body:expr) => {{
        macro_rules! of {
            ($ty:ty) => {{
                type $E = $ty;
                $body
            }};
        }
        match $dtype {
            DType::F64 => of!(f64),
            DType::F32 => of!(f32),
            DType::F16 => of!(burn_ir::f16),
            DType::BF16 => of!(burn_ir::bf16),
            DType::I64 => of!(i64),
            DType::I32 => of!(i32),
            DType::I16 => of!(i16),
            DType::I8 => of!(i8),
            DType::U64 => of!(u64),
            DType::U32 => of!(u32),
            DType::U16 => of!(u16),
            DType::U8 => of!(u8),
            DType::Bool => of!(bool),
        }
    }};
}

impl Host {
    /// Creates a list of `int64`, such as a shape.
    pub fn ints(elements: Vec<Expr>) -> Self {
        Host { dtype: DType::I64, dims: vec![elements.len()], elements }
    }

    /// Creates a scalar.
    pub fn scalar(dtype: DType, element: Expr) -> Self {
        Host { dtype, dims: Vec::new(), elements: vec![element] }
    }

    /// Converts host data.
    pub fn from_data(data: &TensorData) -> Self {
        let elements = if data.dtype.is_float() {
            data.iter::<f64>().map(Expr::Float).collect()
        } else if data.dtype == DType::Bool {
            data.iter::<bool>().map(Expr::Bool).collect()
        } else {
            data.iter::<i64>().map(Expr::Int).collect()
        };
        Host { dtype: data.dtype, dims: data.shape.to_vec(), elements }
    }

    /// Converts the numbers to data, if all of them are known.
    pub fn to_data(&self) -> Option<TensorData> {
        with_element!(self.dtype, E => {
            use burn_ir::Element;
            let values: Option<Vec<E>> = self.elements.iter().map(|element| Some(E::from_scalar(match element {
                Expr::Int(value) => Scalar::Int(*value),
                Expr::Float(value) => Scalar::Float(*value),
                Expr::Bool(value) => Scalar::Bool(*value),
                Expr::Dim(..) | Expr::Element(..) | Expr::Apply(_) => return None,
            }))).collect();
            values.map(|values| TensorData::new(values, &self.dims[..]))
        })
    }

    /// Returns the known integers.
    ///
    /// # Errors
    /// When they are of another type, or not known before the model runs.
    pub fn known_ints(&self, what: &str) -> Outcome<Vec<i64>> {
        require!(self.dtype.is_int(), "{what} must be integers, found {}", self.dtype);
        self.elements
            .iter()
            .map(|element| match element.known() {
                Some(value) => Ok(value),
                None => fail!("{what} must be known before the model runs, found {element:?}"),
            })
            .collect()
    }

    /// Casts the numbers to another element type.
    #[must_use]
    pub fn cast(&self, dtype: DType) -> Host {
        let function = if dtype.is_float() {
            Function::ToFloat
        } else if dtype == DType::Bool {
            Function::ToBool
        } else {
            Function::ToInt
        };
        let elements = self.elements.iter().map(|element| {
            let from_same =
                (dtype.is_float() && self.dtype.is_float()) || (dtype.is_int() && self.dtype.is_int());
            if from_same { element.clone() } else { Expr::apply(function, vec![element.clone()]) }
        });
        Host { dtype, dims: self.dims.clone(), elements: elements.collect() }.rounded()
    }

    /// The known numbers, rounded to the element type.
    fn rounded(mut self) -> Self {
        if matches!(self.dtype, DType::F64 | DType::I64 | DType::Bool)
            || !self.elements.iter().all(Expr::is_known)
        {
            return self;
        }
        if let Some(data) = self.to_data() {
            self = Host::from_data(&data);
        }
        self
    }

    /// Applies `function` elementwise; dimensions broadcast.
    ///
    /// # Errors
    /// When the dimensions do not broadcast.
    pub fn map(function: Function, args: &[Host], dtype: DType) -> Outcome<Host> {
        let arity = function.arity();
        require!(args.len() == arity, "expected {arity} inputs, got {}", args.len());
        let mut dims: Vec<usize> = Vec::new();
        for arg in args {
            let rank = dims.len().max(arg.dims.len());
            let at = |dims: &[usize], d: usize| (d + dims.len()).checked_sub(rank).map_or(1, |d| dims[d]);
            let mut wide = Vec::with_capacity(rank);
            for d in 0..rank {
                wide.push(match (at(&dims, d), at(&arg.dims, d)) {
                    (a, b) if a == b => a,
                    (1, b) => b,
                    (a, 1) => a,
                    (a, b) => fail!("sizes {a} and {b} of a dimension do not broadcast"),
                });
            }
            dims = wide;
        }
        let count = dims.iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
        require!(
            count.is_some_and(|count| count <= MOST_MAPPED),
            "{dims:?} are too many numbers for the host; expected at most {MOST_MAPPED}"
        );
        let wide: Vec<Host> = args.iter().map(|arg| arg.expand(&dims)).collect::<Outcome<_>>()?;
        let elements = (0..dims.iter().product())
            .map(|place| Expr::apply(function, wide.iter().map(|arg| arg.elements[place].clone()).collect()));
        Ok(Host { dtype, elements: elements.collect(), dims }.rounded())
    }

    /// Broadcasts the numbers to `dims`.
    ///
    /// # Errors
    /// When a dimension is neither 1 nor the wanted size.
    pub fn expand(&self, dims: &[usize]) -> Outcome<Host> {
        if self.dims == dims {
            return Ok(self.clone());
        }
        require!(self.dims.len() <= dims.len(), "{:?} does not expand to {dims:?}", self.dims);
        let missing = dims.len() - self.dims.len();
        let mut strides = vec![0_isize; dims.len()];
        let mut stride = 1_usize;
        for d in (0..self.dims.len()).rev() {
            require!(
                self.dims[d] == dims[missing + d] || self.dims[d] == 1,
                "{:?} does not expand to {dims:?}",
                self.dims
            );
            strides[missing + d] = if self.dims[d] == 1 { 0 } else { stride as isize };
            stride *= self.dims[d];
        }
        Ok(self.gathered(dims.to_vec(), &strides, 0))
    }

    /// Numbers at offsets that are steps apart: `offset + sum(index * stride)`.
    pub(crate) fn gathered(&self, dims: Vec<usize>, strides: &[isize], offset: isize) -> Host {
        let count: usize = dims.iter().product();
        let mut elements = Vec::with_capacity(count);
        for place in 0..count {
            let (mut rest, mut from) = (place, offset);
            for d in (0..dims.len()).rev() {
                from += (rest % dims[d]) as isize * strides[d];
                rest /= dims[d];
            }
            elements.push(self.elements[from as usize].clone());
        }
        Host { dtype: self.dtype, dims, elements }
    }
}
