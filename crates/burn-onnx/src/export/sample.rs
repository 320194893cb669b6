//! Sample inputs with other sizes of the dynamic dimensions.

use super::error::ExportError;
use super::size_expr::SizeTable;
use burn_ir::{Shape, TensorData};

/// An input with a value of the right type and rank.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub name: String,
    pub data: TensorData,
    /// The number of the dynamic dimension, for each dimension that is one.
    pub symbols: Vec<Option<usize>>,
}

impl Sample {
    /// Resizes the dynamic dimensions of the sample by repeating or dropping elements, so that indices stay
    /// in range.
    pub fn resized(&self, sizes: &[usize]) -> Result<TensorData, ExportError> {
        let size =
            |(dim, symbol): (usize, &Option<usize>)| symbol.map_or(self.data.shape[dim], |at| sizes[at]);
        let target: Shape = self.symbols.iter().enumerate().map(size).collect();
        let mut data = self.data.clone();
        for dim in 0..target.rank() {
            data = resized_dim(&data, dim, target[dim]).map_err(|reason| self.error(reason))?;
        }
        Ok(data)
    }

    /// Adds the sizes of the sample to the table, or compares them with those that are in it.
    pub fn check(&self, table: &SizeTable, first: &mut [Option<usize>]) -> Result<(), ExportError> {
        for (dim, symbol) in self.symbols.iter().enumerate() {
            let (Some(symbol), size) = (*symbol, self.data.shape[dim]) else { continue };
            let expected = *first[symbol].get_or_insert(size);
            if expected != size {
                let name = &table.names[symbol];
                let reason = format!(
                    "dimension {dim}, `{name}`, of the sample: expected {expected}, as in another input, got {size}"
                );
                return Err(self.error(reason));
            }
        }
        Ok(())
    }

    pub fn error(&self, reason: String) -> ExportError {
        ExportError::Argument { name: self.name.clone(), reason }
    }
}

fn resized_dim(data: &TensorData, dim: usize, size: usize) -> Result<TensorData, String> {
    let found = data.shape[dim];
    if found == size {
        return Ok(data.clone());
    }
    if found == 0 {
        return Err(format!("dimension {dim} of the sample is empty; give it a size of at least 1"));
    }
    let inner = data.shape[dim + 1..].iter().product::<usize>() * data.dtype.size();
    let outer: usize = data.shape[..dim].iter().product();
    let mut bytes = Vec::with_capacity(outer * size * inner);
    for row in data.as_bytes().chunks_exact((found * inner).max(1)).take(outer) {
        for at in 0..size {
            let start = at % found * inner;
            bytes.extend_from_slice(&row[start..start + inner]);
        }
    }
    TensorData::from_bytes(&bytes, data.shape.with(dim, size), data.dtype).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_repeated_and_left_out() {
        let data = TensorData::from([[1_i64, 2, 3], [4, 5, 6]]);
        let sample = Sample { name: "x".into(), data, symbols: vec![Some(0), Some(1)] };
        assert_eq!(sample.resized(&[3, 2]).unwrap(), TensorData::from([[1_i64, 2], [4, 5], [1, 2]]));
        assert_eq!(sample.resized(&[1, 4]).unwrap(), TensorData::from([[1_i64, 2, 3, 1]]));
    }

    #[test]
    fn an_empty_dimension_has_no_other_size() {
        let data = TensorData::new([0.0_f32; 0], [0, 3]);
        let sample = Sample { name: "x".into(), data, symbols: vec![Some(0), None] };
        let error = sample.resized(&[2]).unwrap_err().to_string();
        assert!(error.contains("`x`: dimension 0 of the sample is empty"), "{error}");
    }
}
