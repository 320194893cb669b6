use super::descriptor::Descriptor;
use super::operand::{Operand, data_type, row_major};
use super::session::Session;
use crate::CudaError;
use cudarc::cudnn::sys::{
    cudnnBackendAttributeName_t as Name, cudnnBackendDescriptorType_t as Kind, cudnnDataType_t as Data,
    cudnnPointwiseMode_t as Mode, cudnnReduceTensorOp_t as Reduction,
};

/// A tensor of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    at: usize,
    pub sizes: Vec<i64>,
}

/// Graph of tensors and operations. Tensors in memory are numbered from 0, in the order in which they are
/// added.
#[derive(Debug, Default)]
pub struct Graph {
    tensors: Vec<Descriptor>,
    /// Descriptors that the operations refer to.
    parts: Vec<Descriptor>,
    operations: Vec<Descriptor>,
    /// Numbers of scalar tensors, and the values given with each call.
    pub scalars: Vec<(i64, f32)>,
    /// Numbers of workspace tensors, and their bytes.
    pub scratch: Vec<(i64, usize)>,
}

impl Graph {
    fn tensor(
        &mut self,
        data: Data,
        sizes: &[i64],
        strides: &[i64],
        of: impl FnOnce(Descriptor) -> Result<Descriptor, CudaError>,
    ) -> Result<Node, CudaError> {
        let number = self.tensors.len() as i64;
        let tensor = Descriptor::new(Kind::CUDNN_BACKEND_TENSOR_DESCRIPTOR)?
            .with(Name::CUDNN_ATTR_TENSOR_DATA_TYPE, &[data])?
            .with(Name::CUDNN_ATTR_TENSOR_DIMENSIONS, sizes)?
            .with(Name::CUDNN_ATTR_TENSOR_STRIDES, strides)?
            .with(Name::CUDNN_ATTR_TENSOR_UNIQUE_ID, &[number])?;
        self.tensors.push(of(tensor)?.finalized()?);
        Ok(Node { at: self.tensors.len() - 1, sizes: sizes.to_vec() })
    }

    /// Adds an operand tensor in memory.
    pub fn operand(&mut self, operand: &Operand) -> Result<Node, CudaError> {
        let data =
            data_type(operand.dtype).ok_or(CudaError::Unsupported { what: "elements of this dtype" })?;
        self.tensor(data, &operand.sizes, &operand.strides, |tensor| {
            tensor.with(Name::CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, &[operand.alignment])
        })
    }

    /// Adds an intermediate tensor that is never in memory.
    pub fn between(&mut self, data: Data, sizes: &[i64], strides: &[i64]) -> Result<Node, CudaError> {
        self.tensor(data, sizes, strides, |tensor| {
            tensor
                .with(Name::CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, &[16_i64])?
                .with(Name::CUDNN_ATTR_TENSOR_IS_VIRTUAL, &[true])
        })
    }

    /// Adds a workspace tensor, `f32` in row-major order.
    pub fn scratch(&mut self, sizes: &[i64]) -> Result<Node, CudaError> {
        let node = self.tensor(Data::CUDNN_DATA_FLOAT, sizes, &row_major(sizes), |tensor| {
            tensor.with(Name::CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, &[16_i64])
        })?;
        let bytes = sizes.iter().product::<i64>() as usize * size_of::<f32>();
        self.scratch.push((node.at as i64, bytes));
        Ok(node)
    }

    /// Adds a scalar.
    pub fn scalar(&mut self, rank: usize, value: f32) -> Result<Node, CudaError> {
        let ones = vec![1_i64; rank];
        let node = self.tensor(Data::CUDNN_DATA_FLOAT, &ones, &ones, |tensor| {
            tensor
                .with(Name::CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, &[16_i64])?
                .with(Name::CUDNN_ATTR_TENSOR_IS_BY_VALUE, &[true])
        })?;
        self.scalars.push((node.at as i64, value));
        Ok(node)
    }

    /// Adds an operation of this kind, from a descriptor and its tensors.
    pub fn operation(
        &mut self,
        kind: Kind,
        description: (Name, Descriptor),
        tensors: &[(Name, &Node)],
        numbers: &[(Name, f32)],
    ) -> Result<(), CudaError> {
        let (name, part) = description;
        let mut operation = Descriptor::new(kind)?.with_parts(name, &[&part])?;
        for (name, node) in tensors {
            operation = operation.with_parts(*name, &[&self.tensors[node.at]])?;
        }
        for (name, number) in numbers {
            operation = operation.with(*name, &[*number])?;
        }
        self.operations.push(operation.finalized()?);
        self.parts.push(part);
        Ok(())
    }

    /// Adds an elementwise operation `out = mode(inputs..)`, of one to three inputs.
    pub fn pointwise(
        &mut self,
        mode: Mode,
        compute: Data,
        inputs: &[&Node],
        out: &Node,
        axis: Option<i64>,
    ) -> Result<(), CudaError> {
        let mut description = Descriptor::new(Kind::CUDNN_BACKEND_POINTWISE_DESCRIPTOR)?
            .with(Name::CUDNN_ATTR_POINTWISE_MODE, &[mode])?
            .with(Name::CUDNN_ATTR_POINTWISE_MATH_PREC, &[compute])?;
        if let Some(axis) = axis {
            description = description.with(Name::CUDNN_ATTR_POINTWISE_AXIS, &[axis])?;
        }
        let names = [
            Name::CUDNN_ATTR_OPERATION_POINTWISE_XDESC,
            Name::CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
            Name::CUDNN_ATTR_OPERATION_POINTWISE_TDESC,
        ];
        let mut tensors: Vec<_> = names.into_iter().zip(inputs.iter().copied()).collect();
        tensors.push((Name::CUDNN_ATTR_OPERATION_POINTWISE_YDESC, out));
        let kind = Kind::CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR;
        let name = Name::CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR;
        self.operation(kind, (name, description.finalized()?), &tensors, &[])
    }

    /// Adds an elementwise operation `mode(inputs..)` whose result is an intermediate `f32` tensor of the
    /// first input's shape.
    pub fn apply(&mut self, mode: Mode, inputs: &[&Node]) -> Result<Node, CudaError> {
        let out = self.float(&inputs[0].sizes.clone())?;
        self.pointwise(mode, Data::CUDNN_DATA_FLOAT, inputs, &out, None)?;
        Ok(out)
    }

    /// Adds an intermediate `f32` tensor.
    pub fn float(&mut self, sizes: &[i64]) -> Result<Node, CudaError> {
        self.between(Data::CUDNN_DATA_FLOAT, sizes, &row_major(sizes))
    }

    /// Adds a matrix product `out = lhs rhs`, of matrices in the last two dimensions.
    pub fn product(&mut self, lhs: &Node, rhs: &Node, out: &Node) -> Result<(), CudaError> {
        let description = Descriptor::new(Kind::CUDNN_BACKEND_MATMUL_DESCRIPTOR)?
            .with(Name::CUDNN_ATTR_MATMUL_COMP_TYPE, &[Data::CUDNN_DATA_FLOAT])?
            .finalized()?;
        let tensors = [
            (Name::CUDNN_ATTR_OPERATION_MATMUL_ADESC, lhs),
            (Name::CUDNN_ATTR_OPERATION_MATMUL_BDESC, rhs),
            (Name::CUDNN_ATTR_OPERATION_MATMUL_CDESC, out),
        ];
        let kind = Kind::CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR;
        self.operation(kind, (Name::CUDNN_ATTR_OPERATION_MATMUL_DESC, description), &tensors, &[])
    }

    /// Folds the dimensions of `x` that are 1 in `out`.
    pub fn reduce(&mut self, operator: Reduction, x: &Node, out: &Node) -> Result<(), CudaError> {
        let description = Descriptor::new(Kind::CUDNN_BACKEND_REDUCTION_DESCRIPTOR)?
            .with(Name::CUDNN_ATTR_REDUCTION_COMP_TYPE, &[Data::CUDNN_DATA_FLOAT])?
            .with(Name::CUDNN_ATTR_REDUCTION_OPERATOR, &[operator])?
            .finalized()?;
        let tensors = [
            (Name::CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x),
            (Name::CUDNN_ATTR_OPERATION_REDUCTION_YDESC, out),
        ];
        let kind = Kind::CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR;
        self.operation(kind, (Name::CUDNN_ATTR_OPERATION_REDUCTION_DESC, description), &tensors, &[])
    }

    /// Adds a reshape of `x` to the shape or strides of `out`.
    pub fn reshape(&mut self, x: &Node, out: &Node) -> Result<(), CudaError> {
        let (from, to) = (Name::CUDNN_ATTR_OPERATION_RESHAPE_XDESC, Name::CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
        let operation = Descriptor::new(Kind::CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR)?
            .with_parts(from, &[&self.tensors[x.at]])?
            .with_parts(to, &[&self.tensors[out.at]])?;
        self.operations.push(operation.finalized()?);
        Ok(())
    }

    /// Finalizes the graph as a descriptor of the library.
    pub fn finalized(&self, session: &Session) -> Result<Descriptor, CudaError> {
        let operations: Vec<_> = self.operations.iter().collect();
        Descriptor::new(Kind::CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)?
            .with(Name::CUDNN_ATTR_OPERATIONGRAPH_HANDLE, &[session.handle()])?
            .with_parts(Name::CUDNN_ATTR_OPERATIONGRAPH_OPS, &operations)?
            .finalized()
    }
}
