use super::descriptor::Descriptor;
use super::graph::Graph;
use super::operand::Operand;
use crate::CudaError;
use burn_backend::DType;
use burn_cubecl::Wanted;
use cudarc::cudnn::sys::{
    cudnnBackendAttributeName_t as Name, cudnnBackendDescriptorType_t as Kind,
    cudnnConvolutionMode_t as Direction, cudnnDataType_t as Data, cudnnPointwiseMode_t as Mode,
};

/// A cross-correlation, in two or three dimensions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Convolution {
    pub wanted: Wanted,
    pub x: Operand,
    /// Groups are as many as its channels go into those of `x`.
    pub weight: Operand,
    pub y: Operand,
    pub stride: Vec<i64>,
    pub padding: Vec<i64>,
    pub dilation: Vec<i64>,
    /// A number for each channel of `y`, which is added.
    pub bias: Option<Operand>,
    pub tf32: bool,
}

/// Multiplications from which transforms pay: they are four kernels.
const MANY: i64 = 1 << 27;

impl Convolution {
    /// Returns whether the call is an input gradient in full `f32`, with 3 x 3 kernels of stride 1, that is
    /// large enough for a Winograd transform.
    pub fn is_transformed(&self) -> bool {
        let has_ones = |steps: &[i64]| steps.iter().all(|&step| step == 1);
        let channels = self.weight.sizes[1];
        self.wanted == Wanted::Input
            && self.x.dtype == DType::F32
            && !self.tf32
            && self.weight.sizes[2..] == [3, 3]
            && has_ones(&self.stride)
            && has_ones(&self.dilation)
            && channels == self.x.sizes[1]
            && self.y.sizes.iter().product::<i64>() * channels * 9 >= MANY
    }

    /// Its operands are `x`, `weight`, `y` and the bias if there is one, in this order.
    pub fn graph(&self) -> Result<Graph, CudaError> {
        let mut graph = Graph::default();
        let [x, weight, y] = [&self.x, &self.weight, &self.y].map(|operand| graph.operand(operand));
        let (x, weight, mut y) = (x?, weight?, y?);
        let sum = y.clone();
        let bias = self.bias.as_ref().map(|bias| graph.operand(bias)).transpose()?;
        if bias.is_some() {
            y = graph.between(Data::CUDNN_DATA_FLOAT, &self.y.sizes, &self.y.strides)?;
        }
        let description = Descriptor::new(Kind::CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR)?
            .with(Name::CUDNN_ATTR_CONVOLUTION_COMP_TYPE, &[Data::CUDNN_DATA_FLOAT])?
            .with(Name::CUDNN_ATTR_CONVOLUTION_CONV_MODE, &[Direction::CUDNN_CROSS_CORRELATION])?
            .with(Name::CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, &[self.stride.len() as i64])?
            .with(Name::CUDNN_ATTR_CONVOLUTION_DILATIONS, &self.dilation)?
            .with(Name::CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, &self.stride)?
            .with(Name::CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, &self.padding)?
            .with(Name::CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, &self.padding)?
            .finalized()?;
        let (kind, [first, second, third, of, alpha, beta]) = match self.wanted {
            Wanted::Output => (
                Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                [
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA,
                ],
            ),
            Wanted::Input => (
                Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                [
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA,
                ],
            ),
            Wanted::Weight => (
                Kind::CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                [
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                    Name::CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA,
                ],
            ),
        };
        let tensors = [(first, &x), (second, &weight), (third, &y)];
        graph.operation(kind, (of, description), &tensors, &[(alpha, 1.0), (beta, 0.0)])?;
        if let Some(bias) = bias {
            let add = Mode::CUDNN_POINTWISE_ADD;
            graph.pointwise(add, Data::CUDNN_DATA_FLOAT, &[&y, &bias], &sum, None)?;
        }
        Ok(graph)
    }
}
