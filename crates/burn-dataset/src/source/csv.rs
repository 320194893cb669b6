use std::path::Path;

use serde::de::DeserializeOwned;

use crate::{DatasetError, InMemDataset};

impl<I: DeserializeOwned> InMemDataset<I> {
    /// Reads a CSV file, one item a row, in the dialect of `reader`.
    ///
    /// # Errors
    /// If the file cannot be read or a row is not an item; the error names the file and the row.
    ///
    /// ```
    /// use burn::data::dataset::InMemDataset;
    ///
    /// #[derive(serde::Deserialize, Clone, PartialEq, Debug)]
    /// struct House {
    ///     rooms: u32,
    ///     price: f32,
    /// }
    ///
    /// let path = std::env::temp_dir().join(format!("houses-{}.csv", std::process::id()));
    /// std::fs::write(&path, "rooms;price\n3;120.5\n5;200\n")?;
    ///
    /// let houses = InMemDataset::<House>::from_csv(&path, csv::ReaderBuilder::new().delimiter(b';'))?;
    /// assert_eq!(houses.get(1), Some(House { rooms: 5, price: 200.0 }));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_csv<P: AsRef<Path>>(path: P, reader: &csv::ReaderBuilder) -> Result<Self, DatasetError> {
        let path = path.as_ref();
        let damaged = |error: csv::Error| DatasetError::Csv { path: path.to_owned(), source: error };
        reader
            .from_path(path)
            .map_err(damaged)?
            .into_deserialize()
            .collect::<Result<Vec<I>, _>>()
            .map(Self::new)
            .map_err(damaged)
    }
}
