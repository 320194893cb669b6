//! A collective that all ranks have agreed on.

use crate::frame::Frame;
use crate::group::Group;
use crate::{CollectiveError, Part};
use burn_ir::{DType, DataError, Shape, TensorData};
use std::time::Instant;

pub struct Call<'a> {
    pub group: &'a Group,
    pub operation: &'a str,
    pub deadline: Instant,
}

impl Call<'_> {
    pub fn frames(&self, frame: Frame) -> Result<Vec<Vec<u8>>, CollectiveError> {
        let frames = self.group.engine.exchange_frames(frame.encode(), self.deadline);
        frames.map_err(|error| self.group.error(self.operation, error))
    }

    pub fn exchange(&self, parts: Vec<Part>, lengths: &[usize]) -> Result<Vec<Part>, CollectiveError> {
        let parts = self.group.engine.exchange(parts, lengths, self.deadline);
        parts.map_err(|error| self.group.error(self.operation, error))
    }

    pub fn data_error(&self, source: DataError) -> CollectiveError {
        CollectiveError::Data { operation: self.operation.to_string(), rank: self.group.rank(), source }
    }

    /// Returns memory for a result.
    pub fn zeroed(&self, shape: Shape, dtype: DType) -> Result<TensorData, CollectiveError> {
        TensorData::zeroed(shape, dtype).map_err(|source| self.data_error(source))
    }
}
