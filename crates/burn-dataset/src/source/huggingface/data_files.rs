use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::split_name::{SplitName, canonical_split};
use crate::DatasetError;

/// File format of a data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Format {
    Parquet,
    JsonLines,
    Csv { delimiter: u8 },
}

impl Format {
    /// Reads the format off the name of a file; `None` if it is no data file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "parquet" => Some(Self::Parquet),
            "jsonl" | "ndjson" | "json" => Some(Self::JsonLines),
            "csv" => Some(Self::Csv { delimiter: b',' }),
            "tsv" => Some(Self::Csv { delimiter: b'\t' }),
            _other => None,
        }
    }
}

/// The extensions of data files, without that of their compression.
pub(super) const EXTENSIONS: [&str; 7] = ["parquet", "jsonl", "ndjson", "json", "csv", "tsv", "gz"];

/// Files that together are a split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SplitFiles {
    pub(super) format: Format,
    /// Paths below the folder of the dataset, in order of name.
    pub(super) paths: Vec<PathBuf>,
}

/// Why files are not those of one split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChoiceError {
    /// There is no such split; these are there.
    NoSplit(Vec<String>),
    /// The split is in several subsets, or in none that is called as was asked for; these have it.
    Subset(Vec<String>),
}

impl ChoiceError {
    /// The error of a dataset at a path or an address.
    pub(super) fn of(self, path: PathBuf, split: &str, subset: Option<&str>) -> DatasetError {
        match self {
            Self::NoSplit(splits) => DatasetError::NoSplit { path, split: split.to_owned(), splits },
            Self::Subset(subsets) => {
                let subset = subset.map(str::to_owned);
                DatasetError::NoSubset { path, split: split.to_owned(), subset, subsets }
            }
        }
    }
}

impl SplitFiles {
    /// Chooses the files of a split among all files of a dataset, by their paths below its folder.
    ///
    /// Where a split is there in several formats, those of Parquet are taken before those of JSON lines and
    /// of CSV.
    pub(super) fn choose(
        all: impl IntoIterator<Item = PathBuf>,
        split: &str,
        subset: Option<&str>,
    ) -> Result<Self, ChoiceError> {
        let known = all.into_iter().filter_map(|path| Some((SplitName::of(&path), Format::of(&path)?, path)));
        let known: Vec<(SplitName, Format, PathBuf)> = known.collect();
        let of_split =
            known.iter().filter(|(name, ..)| name.split == canonical_split(split)).collect::<Vec<_>>();
        if of_split.is_empty() {
            return Err(ChoiceError::NoSplit(distinct(known.iter().map(|(name, ..)| name.split.clone()))));
        }
        let subset_of = |name: &SplitName| name.subset.clone().unwrap_or_default();
        let subsets = distinct(of_split.iter().map(|(name, ..)| subset_of(name)));
        let chosen = match subset {
            Some(subset) if subsets.iter().any(|known| known == subset) => subset,
            None if subsets.len() == 1 => &subsets[0],
            Some(_) | None => return Err(ChoiceError::Subset(subsets)),
        };
        let of_subset = || of_split.iter().filter(|(name, ..)| subset_of(name) == chosen);
        let format = of_subset().map(|(_, format, _)| *format).min().unwrap_or(Format::Parquet);
        let paths = of_subset().filter(|(_, known, _)| *known == format).map(|(.., path)| path.clone());
        let mut paths: Vec<PathBuf> = paths.collect();
        paths.sort();
        Ok(Self { format, paths })
    }
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    names.sort();
    names.dedup();
    names
}

/// Opens a file of text that may be compressed by gzip.
pub(super) fn open_text(path: &Path) -> Result<Box<dyn Read>, DatasetError> {
    let file =
        burn_io::open_file(path).map_err(|source| DatasetError::Io { path: path.to_owned(), source })?;
    let is_compressed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    Ok(if is_compressed { Box::new(MultiGzDecoder::new(file)) } else { Box::new(file) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(files: &[&str], split: &str, subset: Option<&str>) -> Result<SplitFiles, ChoiceError> {
        SplitFiles::choose(files.iter().map(PathBuf::from), split, subset)
    }

    #[test]
    fn the_files_of_a_split_come_in_order_and_in_one_format() {
        let files = [
            "README.md",
            "data/train-00001-of-00002.parquet",
            "data/train-00000-of-00002.parquet",
            "data/test.csv",
            "train.jsonl",
        ];
        let train = choose(&files, "training", None).unwrap();
        let paths =
            ["data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet"].map(PathBuf::from);
        assert_eq!(train, SplitFiles { format: Format::Parquet, paths: paths.to_vec() });
        assert_eq!(choose(&files, "test", None).unwrap().format, Format::Csv { delimiter: b',' });
        let splits = vec!["test".to_owned(), "train".to_owned()];
        assert_eq!(choose(&files, "dev", None), Err(ChoiceError::NoSplit(splits)));
    }

    #[test]
    fn a_split_of_several_subsets_needs_a_choice() {
        let files = ["en/train.tsv.gz", "fr/train.tsv.gz", "fr/test.json"];
        let subsets = ["en", "fr"].map(str::to_owned).to_vec();
        assert_eq!(choose(&files, "train", None), Err(ChoiceError::Subset(subsets.clone())));
        assert_eq!(choose(&files, "train", Some("de")), Err(ChoiceError::Subset(subsets)));
        let french = choose(&files, "train", Some("fr")).unwrap();
        assert_eq!(french.paths, [PathBuf::from("fr/train.tsv.gz")]);
        assert_eq!(french.format, Format::Csv { delimiter: b'\t' });
        assert_eq!(choose(&files, "test", None).unwrap().format, Format::JsonLines);
    }
}
