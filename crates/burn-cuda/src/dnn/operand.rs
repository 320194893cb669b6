use burn_backend::{DType, HasSpec};
use burn_cubecl::CubeTensor;
use cudarc::cudnn::sys::cudnnDataType_t as Data;

/// Alignment in bytes that engines prefer for addresses.
const ALIGNMENT: usize = 16;

/// Description of a tensor in memory for the library.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    pub dtype: DType,
    pub sizes: Vec<i64>,
    /// Strides in elements.
    pub strides: Vec<i64>,
    /// Alignment of its address in bytes.
    pub alignment: i64,
}

pub fn data_type(dtype: DType) -> Option<Data> {
    match dtype {
        DType::F32 => Some(Data::CUDNN_DATA_FLOAT),
        DType::F16 => Some(Data::CUDNN_DATA_HALF),
        DType::BF16 => Some(Data::CUDNN_DATA_BFLOAT16),
        DType::F64 | DType::I64 | DType::I32 | DType::I16 | DType::I8 => None,
        DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::Bool => None,
    }
}

/// Returns row-major strides in elements.
pub fn row_major(sizes: &[i64]) -> Vec<i64> {
    let mut strides = vec![1; sizes.len()];
    for d in (0..sizes.len().saturating_sub(1)).rev() {
        strides[d] = strides[d + 1] * sizes[d + 1].max(1);
    }
    strides
}

impl Operand {
    /// Describes a tensor with its own strides, except along dimensions of size 1.
    pub fn strided(x: &CubeTensor) -> Self {
        let number = |&number: &usize| number as i64;
        let sizes: Vec<_> = x.spec().shape.iter().map(number).collect();
        let mut strides: Vec<_> = x.strides().iter().map(number).collect();
        for d in (0..sizes.len()).rev().filter(|&d| sizes[d] == 1) {
            strides[d] = if d + 1 == sizes.len() { 1 } else { strides[d + 1] * sizes[d + 1] };
        }
        let offset = x.handle().offset_start.unwrap_or(0) as usize + x.offset() * x.dtype().size();
        Operand {
            dtype: x.dtype(),
            sizes,
            strides,
            alignment: 1 << offset.trailing_zeros().min(ALIGNMENT.trailing_zeros()),
        }
    }

    /// Describes images or kernels of at least two spatial dimensions, row-major or channels last.
    pub fn dense(x: &CubeTensor) -> Option<Self> {
        let mut operand = Self::strided(x);
        if operand.sizes.len() == 3 {
            operand.sizes.insert(2, 1);
            operand.strides.insert(2, 1);
        }
        let rank = operand.sizes.len();
        let last: Vec<usize> = [0].into_iter().chain(2..rank).chain([1]).collect();
        let found = [(0..rank).collect(), last].into_iter().find_map(|order| operand.in_order(&order))?;
        operand.strides = found;
        Some(operand)
    }

    /// Describes one number for each channel, for images of this rank.
    pub fn of_channels(x: &CubeTensor, rank: usize) -> Self {
        let mut operand = Self::strided(x);
        let channels = operand.sizes[0];
        operand.sizes = vec![1; rank];
        operand.sizes[1] = channels;
        operand.strides = vec![1; rank];
        operand.strides[0] = channels;
        operand
    }

    /// Describes rows as matrices of one column.
    pub fn column(x: &CubeTensor) -> Self {
        let mut operand = Self::strided(x);
        operand.sizes.push(1);
        operand.strides.push(1);
        operand
    }

    /// The strides, if elements are contiguous in this order of dimensions; those that lead nowhere
    /// as if they did.
    fn in_order(&self, order: &[usize]) -> Option<Vec<i64>> {
        let mut strides = self.strides.clone();
        let mut step = 1;
        for &d in order.iter().rev() {
            if self.sizes[d] != 1 && strides[d] != step {
                return None;
            }
            strides[d] = step;
            step *= self.sizes[d];
        }
        Some(strides)
    }

    /// Transposes the last two dimensions.
    #[must_use]
    pub fn transposed(mut self) -> Self {
        let rank = self.sizes.len();
        self.sizes.swap(rank - 2, rank - 1);
        self.strides.swap(rank - 2, rank - 1);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Operand, row_major};
    use burn_backend::DType;

    fn operand(sizes: &[i64], strides: &[i64]) -> Operand {
        let (sizes, strides) = (sizes.to_vec(), strides.to_vec());
        Operand { dtype: DType::F32, sizes, strides, alignment: 16 }
    }

    #[test]
    fn images_are_in_either_order() {
        let sizes = [2, 3, 4, 5];
        assert_eq!(row_major(&sizes), [60, 20, 5, 1]);
        let (rows, channels) = ([0, 1, 2, 3], [0, 2, 3, 1]);
        assert_eq!(operand(&sizes, &[60, 20, 5, 1]).in_order(&rows), Some(vec![60, 20, 5, 1]));
        assert_eq!(operand(&sizes, &[60, 1, 15, 3]).in_order(&rows), None);
        assert_eq!(operand(&sizes, &[60, 1, 15, 3]).in_order(&channels), Some(vec![60, 1, 15, 3]));
        // A slice, a flip and a repetition.
        assert_eq!(operand(&sizes, &[80, 20, 5, 1]).in_order(&rows), None);
        assert_eq!(operand(&sizes, &[60, 20, 5, -1]).in_order(&rows), None);
        assert_eq!(operand(&sizes, &[0, 20, 5, 1]).in_order(&rows), None);
        // A stride that leads nowhere.
        assert_eq!(operand(&[1, 3, 4, 5], &[7, 20, 5, 1]).in_order(&rows), Some(vec![60, 20, 5, 1]));
    }
}
