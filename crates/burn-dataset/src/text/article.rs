use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::{find_file, folder_from_environment};
use crate::{Dataset, DatasetError, InMemDataset};

/// A text with a title and a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Article {
    /// The title.
    pub title: String,
    /// The text below it.
    pub text: String,
    /// The class, a position in the list of classes of the dataset.
    pub label: usize,
}

/// A part of a dataset of articles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArticleSplit {
    /// The articles to train on.
    Train,
    /// The articles to test on.
    Test,
}

impl ArticleSplit {
    fn file(self) -> &'static str {
        match self {
            Self::Train => "train.csv",
            Self::Test => "test.csv",
        }
    }
}

/// Reads rows of class, title and text, without a header; classes count from 1.
fn read(
    folder: &Path,
    split: ArticleSplit,
    classes: usize,
    advice: &str,
) -> Result<InMemDataset<Article>, DatasetError> {
    let path = find_file(split.file(), vec![folder.to_owned()], advice)?;
    let mut reader = csv::ReaderBuilder::new();
    let rows = InMemDataset::<(usize, String, String)>::from_csv(&path, reader.has_headers(false))?;
    let article = |(row, (class, title, text)): (usize, (usize, String, String))| match class.checked_sub(1) {
        Some(label) if label < classes => Ok(Article { title, text, label }),
        Some(_) | None => Err(DatasetError::Damaged {
            path: path.clone(),
            reason: format!("row {} has the class {class}, not one of 1 to {classes}", row + 1),
            advice: advice.to_owned(),
        }),
    };
    rows.into_items()
        .into_iter()
        .enumerate()
        .map(article)
        .collect::<Result<Vec<_>, _>>()
        .map(InMemDataset::new)
}

macro_rules! articles {
    ($(#[$docs:meta])* $name:ident, $cache:literal, $variable:literal, $advice:literal, [$($class:literal),*]) => {
        $(#[$docs])*
        #[derive(Clone, Debug)]
        pub struct $name(InMemDataset<Article>);

        impl $name {
            /// The names of the classes; a label is a position in this list.
            pub const CLASSES: &'static [&'static str] = &[$($class),*];

            /// Reads the articles of a split into memory.
            ///
            /// # Errors
            /// If the file is missing or a row of it is no article; the error says where, and how to get the
            /// file.
            pub fn open(split: ArticleSplit) -> Result<Self, DatasetError> {
                Self::from_dir(folder_from_environment($cache, $variable)?, split)
            }

            /// Reads the file of a split, `train.csv` or `test.csv`, in a folder.
            ///
            /// # Errors
            /// As [`open`](Self::open).
            pub fn from_dir<P: AsRef<Path>>(folder: P, split: ArticleSplit) -> Result<Self, DatasetError> {
                read(folder.as_ref(), split, Self::CLASSES.len(), $advice).map(Self)
            }
        }

        impl Dataset<Article> for $name {
            fn get(&self, index: usize) -> Option<Article> {
                self.0.get(index)
            }

            fn len(&self) -> usize {
                self.0.len()
            }
        }
    };
}

articles! {
    /// AG's news: the title and the first lines of 120,000 news to train on and 7,600 to test, of four kinds.
    ///
    /// The files `train.csv` and `test.csv` are looked for in the folder that the environment variable
    /// `BURN_AG_NEWS_DIR` names, else in `~/.cache/burn-dataset/ag-news`; an error says where they are to be
    /// had.
    ///
    /// Zhang, Zhao and LeCun, *Character-level convolutional networks for text classification*, 2015.
    ///
    /// ```no_run
    /// use burn::data::dataset::Dataset;
    /// use burn::data::dataset::text::{AgNewsDataset, ArticleSplit};
    ///
    /// let news = AgNewsDataset::open(ArticleSplit::Train)?;
    /// let first = news.get(0).unwrap();
    /// println!("{}: {}", AgNewsDataset::CLASSES[first.label], first.title);
    /// # Ok::<(), burn::data::dataset::DatasetError>(())
    /// ```
    AgNewsDataset, "ag-news", "BURN_AG_NEWS_DIR",
    "Unpack ag_news_csv.tar.gz, which the authors of the paper of 2015 offer, and set BURN_AG_NEWS_DIR to its folder; or use the \
     dataset `ag_news` of Hugging Face",
    ["World", "Sports", "Business", "Sci/Tech"]
}

articles! {
    /// DBpedia: the title and the abstract of 560,000 entries of Wikipedia to train on and 70,000 to test, of
    /// fourteen kinds.
    ///
    /// The files `train.csv` and `test.csv` are looked for in the folder that the environment variable
    /// `BURN_DBPEDIA_DIR` names, else in `~/.cache/burn-dataset/dbpedia`; an error says where they are to be
    /// had.
    ///
    /// Zhang, Zhao and LeCun, *Character-level convolutional networks for text classification*, 2015.
    DbPediaDataset, "dbpedia", "BURN_DBPEDIA_DIR",
    "Unpack dbpedia_csv.tar.gz, which the authors of the paper of 2015 offer, and set BURN_DBPEDIA_DIR to its folder; or use the \
     dataset `dbpedia_14` of Hugging Face",
    [
        "Company", "EducationalInstitution", "Artist", "Athlete", "OfficeHolder", "MeanOfTransportation", "Building",
        "NaturalPlace", "Village", "Animal", "Plant", "Album", "Film", "WrittenWork"
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_articles_whose_classes_count_from_zero() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("train.csv");
        let text = "\"3\",\"Oil, again\",\"Prices \"\"rise\"\".\"\n\"1\",\"Vote\",\"\"\n";
        std::fs::write(&path, text).unwrap();
        let news = AgNewsDataset::from_dir(folder.path(), ArticleSplit::Train).unwrap();
        let first = Article { title: "Oil, again".into(), text: "Prices \"rise\".".into(), label: 2 };
        assert_eq!((news.get(0), news.len()), (Some(first), 2));
        assert_eq!(AgNewsDataset::CLASSES[news.get(1).unwrap().label], "World");
        assert_eq!(DbPediaDataset::CLASSES.len(), 14);
    }

    #[test]
    fn missing_files_and_wrong_rows_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = || AgNewsDataset::from_dir(folder.path(), ArticleSplit::Test).unwrap_err().to_string();
        assert!(
            error().contains("test.csv was not found in") && error().contains("BURN_AG_NEWS_DIR"),
            "{}",
            error()
        );
        let path = folder.path().join("test.csv");
        for (content, expected) in [
            ("5,title,text\n", "row 1 has the class 5, not one of 1 to 4"),
            ("1,a,b\n0,title,text\n", "row 2 has the class 0"),
            ("1,a,b\n2,title\n", "line: 2"),
            ("one,title,text\n", "line: 1"),
        ] {
            std::fs::write(&path, content).unwrap();
            assert!(error().contains("test.csv") && error().contains(expected), "{}", error());
        }
    }
}
