use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use polars_core::frame::DataFrame;
use serde::de::DeserializeOwned;

use super::frame_row::FrameRow;
use crate::{Dataset, DatasetError};

/// A dataset in the rows of a data frame of Polars, which is in memory by columns.
///
/// The fields of an item take the values of the columns of the same names; columns that the item lacks are
/// not read. An item that is neither a struct nor a map nor a tuple is the value of the one column. Nothing
/// is `None`, lists are fields of type `Vec`, days and times are integers in the unit of their column, and
/// categories are texts.
///
/// The crate `polars` makes data frames of CSV, Parquet, JSON and IPC files, and of lazy queries. Its version
/// must be 0.55.
///
/// ```
/// use burn::data::dataset::Dataset;
/// use burn::data::dataset::source::DataframeDataset;
/// use polars_core::df; // or `polars::df`
///
/// #[derive(serde::Deserialize, Clone, Debug, PartialEq)]
/// struct House {
///     rooms: u32,
///     price: Option<f32>,
/// }
///
/// let frame = df!["price" => [Some(120.5), None], "street" => ["Elm", "Oak"], "rooms" => [3, 5]]?;
/// let houses = DataframeDataset::<House>::new(frame)?;
/// assert_eq!(houses.len(), 2);
/// assert_eq!(houses.get(0), Some(House { rooms: 3, price: Some(120.5) }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DataframeDataset<I> {
    frame: Arc<DataFrame>,
    item: PhantomData<fn() -> I>,
}

impl<I: DeserializeOwned> DataframeDataset<I> {
    /// Takes a data frame, and reads its first row to see that it is an item.
    ///
    /// # Errors
    /// [`DatasetError::WrongRow`] if it is none.
    pub fn new(mut frame: DataFrame) -> Result<Self, DatasetError> {
        // Columns in several pieces are searched for each row.
        frame.rechunk_mut_par();
        let dataset = Self { frame: Arc::new(frame), item: PhantomData };
        dataset.try_get(0)?;
        Ok(dataset)
    }

    /// Returns the data frame.
    pub fn frame(&self) -> &DataFrame {
        &self.frame
    }
}

impl<I: DeserializeOwned> Dataset<I> for DataframeDataset<I> {
    fn get(&self, index: usize) -> Option<I> {
        self.try_get(index).ok().flatten()
    }

    fn try_get(&self, index: usize) -> Result<Option<I>, DatasetError> {
        if index >= self.frame.height() {
            return Ok(None);
        }
        let row = FrameRow { columns: self.frame.columns(), index };
        I::deserialize(row).map(Some).map_err(|error| DatasetError::WrongRow {
            row: index,
            expected: type_name::<I>(),
            columns: self.frame.columns().iter().map(|column| column.name().to_string()).collect(),
            reason: error.to_string(),
        })
    }

    fn len(&self) -> usize {
        self.frame.height()
    }
}

impl<I> Clone for DataframeDataset<I> {
    fn clone(&self) -> Self {
        Self { frame: Arc::clone(&self.frame), item: PhantomData }
    }
}

impl<I> fmt::Debug for DataframeDataset<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns) = self.frame.shape();
        f.debug_struct("DataframeDataset").field("rows", &rows).field("columns", &columns).finish()
    }
}
