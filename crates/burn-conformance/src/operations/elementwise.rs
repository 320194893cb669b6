//! Functions of one tensor: unary functions, bounds and conversions.

use super::*;

/// Checks of [`Family::Unary`].
pub struct UnaryChecks;

impl UnaryChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(&op: &UnaryOp, x: &Array) -> Outputs<Expected> {
        let array = x.map(x.dtype(), |x| number::unary(op, x));
        Expected { array, tolerance: tolerance::unary(op, x.dtype()) }.into()
    }
}

impl OperationChecks for UnaryChecks {
    fn cases(&self, emit: Emit<'_>) {
        for dtype in DType::ALL {
            let mut inputs = operands(dtype);
            for class in classes(dtype) {
                // Repeated, so that vector kernels meet the values and not only the tails of the loops.
                let values: Vec<Number> =
                    class.values.iter().cycle().take(64.max(class.values.len())).copied().collect();
                inputs.push((class.name.into(), list(&values, dtype)));
                inputs.push((
                    format!("{}, stepped", class.name),
                    list(&class.values, dtype).laid_out(MemoryLayout::Stepped),
                ));
            }
            for op in UnaryOp::ALL.into_iter().filter(|op| op.accepts(dtype)) {
                for (name, input) in &inputs {
                    emit(Case::new(
                        name.clone(),
                        dtype,
                        Operation::Elementwise(Elementwise::Unary { op, x: input.clone() }),
                    ));
                }
                if is_large(op, UnaryOp::ALL, dtype) {
                    emit(Case::new(
                        "large",
                        dtype,
                        Operation::Elementwise(Elementwise::Unary { op, x: ordinary([LARGE], dtype) }),
                    ));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        if !FEW_DTYPES.contains(&dtype) {
            return Vec::new();
        }
        let x = matrix(dtype);
        UnaryOp::ALL.map(|op| Operation::Elementwise(Elementwise::Unary { op, x: x.clone() })).into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        UnaryOp::ALL.map(gradients_of_unary).into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Elementwise(Elementwise::Unary { op: calls.random.pick(&UnaryOp::ALL), x })
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let unary = |op, x: &[f64]| Operation::Elementwise(Elementwise::Unary { op, x: values(x) });
        vec![
            ("relu at zero", unary(UnaryOp::Relu, &[0.0, -1.0, 1.0]), vec![0.0, 0.0, 1.0]),
            ("abs at zero", unary(UnaryOp::Abs, &[0.0, -1.0, 1.0]), vec![0.0, -1.0, 1.0]),
            ("sqrt at zero", unary(UnaryOp::Sqrt, &[0.0, 4.0]), vec![f64::INFINITY, 0.25]),
            ("acosh at one", unary(UnaryOp::Acosh, &[1.0, 2.0]), vec![f64::INFINITY, 1.0 / 3.0_f64.sqrt()]),
            // Arguments so large that the slope is that of the limit.
            ("gelu far out", unary(UnaryOp::Gelu, &[-40.0, 40.0]), vec![0.0, 1.0]),
            ("log sigmoid far out", unary(UnaryOp::LogSigmoid, &[-800.0, 800.0]), vec![1.0, 0.0]),
            ("asinh far out", unary(UnaryOp::Asinh, &[0.0, 1e10]), vec![1.0, 1e-10]),
            ("tanh far out", unary(UnaryOp::Tanh, &[-400.0, 400.0]), vec![0.0, 0.0]),
        ]
    }
}

/// Checks of [`Family::Clamp`].
pub struct ClampChecks;

impl ClampChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &min: &Option<Scalar>, &max: &Option<Scalar>) -> Outputs<Expected> {
        let array = clamp(x, min, max);
        Expected { array, tolerance: Tolerance::RoundedAnyZero }.into()
    }
}

impl OperationChecks for ClampChecks {
    fn cases(&self, emit: Emit<'_>) {
        let bounds = [
            (Some(Scalar::Int(1)), Some(Scalar::Int(2))),
            (Some(Scalar::Int(2)), None),
            (None, Some(Scalar::Float(2.0))),
            (None, None),
            // The upper bound has the last word.
            (Some(Scalar::Int(3)), Some(Scalar::Int(1))),
        ];
        for dtype in numbers() {
            for (min, max) in bounds {
                let mut inputs = left(dtype);
                if is_large((min, max), bounds, dtype) {
                    inputs.push(("large".into(), ordinary([LARGE], dtype)));
                }
                for (name, x) in inputs {
                    let op = Operation::Elementwise(Elementwise::Clamp { x, min, max });
                    emit(Case::new(format!("{min:?} to {max:?}, {name}"), dtype, op));
                }
            }
        }
        for dtype in floats() {
            let (min, max) = (Some(Scalar::Float(-1.5)), Some(Scalar::Float(0.1)));
            for (name, x) in left(dtype) {
                emit(Case::new(
                    format!("fractions, {name}"),
                    dtype,
                    Operation::Elementwise(Elementwise::Clamp { x, min, max }),
                ));
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        let value = Scalar::Float(0.5);
        vec![Operation::Elementwise(Elementwise::Clamp { x, min: Some(value), max: None })]
    }

    fn gradients(&self) -> Vec<GradientCall> {
        let float = |x| Some(Scalar::Float(x));
        let bounds = [(float(-0.7), float(0.9)), (float(0.1), None), (None, float(0.1)), (None, None)];
        bounds
            .map(|(min, max)| {
                call(
                    format!("{min:?} {max:?}"),
                    Operation::Elementwise(Elementwise::Clamp { x: signed([6]), min, max }),
                )
            })
            .into()
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        let bound = |this: &mut Calls<'_>| this.flag().then(|| this.scalar());
        Operation::Elementwise(Elementwise::Clamp { x, min: bound(calls), max: bound(calls) })
    }

    fn closed_forms(&self) -> Vec<ClosedForm> {
        let (min, max) = (Some(Scalar::Int(0)), Some(Scalar::Int(1)));
        let clamp = Elementwise::Clamp { x: values(&[-1.0, 0.0, 1.0, 2.0]), min, max };
        vec![("the ends of clamp pass", clamp.into(), vec![0.0, 1.0, 1.0, 0.0])]
    }
}

/// Checks of [`Family::Cast`].
pub struct CastChecks;

impl CastChecks {
    /// Returns the results by the definition of the operation.
    pub fn evaluate(x: &Array, &dtype: &DType) -> Outputs<Expected> {
        let array = x.map(dtype, |x| number::cast(x, dtype));
        Expected { array, tolerance: tolerance::cast() }.into()
    }
}

impl OperationChecks for CastChecks {
    fn cases(&self, emit: Emit<'_>) {
        for from in DType::ALL {
            let mut inputs = left(from);
            inputs.push(("large".into(), ordinary([4_099], from)));
            for dtype in DType::ALL {
                for (name, x) in &inputs {
                    let op = Operation::Elementwise(Elementwise::Cast { x: x.clone(), dtype });
                    emit(Case::new(format!("to {dtype}, {name}"), from, op));
                }
            }
        }
    }

    fn large(&self, dtype: DType) -> Vec<Op> {
        let x = matrix(dtype);
        DType::ALL.map(|dtype| Operation::Elementwise(Elementwise::Cast { x: x.clone(), dtype })).into()
    }

    fn gradients(&self) -> Vec<GradientCall> {
        vec![
            call("to f64", Operation::Elementwise(Elementwise::Cast { x: signed([4]), dtype: F })),
            constant(
                "to i64",
                Operation::Elementwise(Elementwise::Cast { x: signed([4]), dtype: DType::I64 }),
            ),
            constant(
                "to bool",
                Operation::Elementwise(Elementwise::Cast { x: signed([4]), dtype: DType::Bool }),
            ),
        ]
    }

    fn random(&self, calls: &mut Calls<'_>) -> Op {
        let x = calls.spec();
        Operation::Elementwise(Elementwise::Cast { x, dtype: calls.random.pick(&DType::ALL) })
    }
}

pub(super) fn left(dtype: DType) -> Vec<(String, Input)> {
    let layouts =
        MemoryLayout::ALL.map(|layout| (format!("{layout:?}"), ordinary([5, 9], dtype).laid_out(layout)));
    let special = classes(dtype).into_iter().map(|class| (class.name.into(), list(&class.values, dtype)));
    let shapes: [Shape; 4] = [[].into(), [1].into(), [0, 3].into(), [3, 0].into()];
    let views = |shape: Shape| {
        [MemoryLayout::Contiguous, MemoryLayout::Stepped].map(|layout| {
            (format!("shape {shape:?}, {layout:?}"), ordinary(shape.clone(), dtype).laid_out(layout))
        })
    };
    let shapes = shapes.into_iter().flat_map(views);
    layouts.into_iter().chain(special).chain(shapes).collect()
}

fn clamp(x: &Array, min: Option<Scalar>, max: Option<Scalar>) -> Array {
    let bound = |x: Number, op, limit: Option<Scalar>, dtype| {
        limit.map_or(x, |limit| number::binary(op, x, Number::from_scalar(limit, dtype)))
    };
    let dtype = x.dtype();
    x.map(dtype, |x| bound(bound(x, BinaryOp::Max, min, dtype), BinaryOp::Min, max, dtype))
}

fn gradients_of_unary(op: UnaryOp) -> GradientCall {
    use UnaryOp::*;
    let signed = |op| call("", Operation::Elementwise(Elementwise::Unary { op, x: signed([7]) }));
    match op {
        Neg | Abs | Square | Exp | ExpM1 | Sin | Cos | Atan | Sinh | Cosh | Tanh | Asinh | Erf => signed(op),
        Sigmoid | LogSigmoid | Relu | Gelu | GeluTanh | Silu | Sign | Floor | Ceil | Round | Trunc => {
            signed(op)
        }
        Log | Log1p | Sqrt | Recip => {
            call("", Operation::Elementwise(Elementwise::Unary { op, x: positive([7]) }))
        }
        Acosh => call("", Operation::Elementwise(Elementwise::Unary { op, x: spread([7], F, 1.2, 3.0) })),
        Tan | Asin | Acos | Atanh => {
            call("", Operation::Elementwise(Elementwise::Unary { op, x: spread([7], F, -0.8, 0.8) }))
        }
        Not => constant("", Operation::Elementwise(Elementwise::Unary { op, x: bool_values(&[0, 1], [2]) })),
    }
}
