//! Text in three splits.

use burn::data::dataset::text::{ArticleSplit, DbPediaDataset};
use burn::data::dataset::{Dataset, DatasetError};
use std::io::{self, Read};
use std::path::Path;

/// Chapters 1 to 21 of *Moby Dick*; `data/README.md` says where they come from.
const MOBY_DICK: &[u8] = include_bytes!("../data/moby_dick.txt.gz");

/// Text to learn from, text by which epochs are chosen, and text that is seen once, in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    pub train: String,
    pub valid: String,
    pub test: String,
}

impl Corpus {
    /// The first chapters of *Moby Dick* (Melville 1851), which are inside of the program.
    ///
    /// # Errors
    /// If the program was built with another file.
    pub fn moby_dick() -> io::Result<Self> {
        let mut text = String::new();
        flate2::read::GzDecoder::new(MOBY_DICK).read_to_string(&mut text)?;
        Ok(Self::new(text))
    }

    /// A file of text.
    ///
    /// # Errors
    /// If it cannot be read or is not UTF-8.
    pub fn file(path: &Path) -> io::Result<Self> {
        std::fs::read_to_string(path).map(Self::new)
    }

    /// The abstracts of DBpedia, in `folder` or where [`DbPediaDataset::open`] looks for them; `count` of the
    /// training texts.
    ///
    /// # Errors
    /// If the files are not there; the error says where they are to be had.
    pub fn db_pedia(folder: Option<&Path>, count: usize) -> Result<Self, DatasetError> {
        let open = |split| match folder {
            Some(folder) => DbPediaDataset::from_dir(folder, split),
            None => DbPediaDataset::open(split),
        };
        let joined = |articles: DbPediaDataset, count: usize| -> String {
            // The file is in order of class: texts are taken at equal distances.
            let step = (articles.len() / count.max(1)).max(1);
            let articles = (0..articles.len()).step_by(step).filter_map(|index| articles.get(index));
            articles.map(|article| format!("{}\n\n", article.text.trim())).collect()
        };
        let (train, test) = (open(ArticleSplit::Train)?, open(ArticleSplit::Test)?);
        let held_out = joined(test, count / 4);
        let (valid, test) = cut(&held_out, 0.5);
        Ok(Corpus { train: joined(train, count), valid: valid.to_owned(), test: test.to_owned() })
    }

    /// Splits paragraphs: the fifth of every ten validates, the tenth tests, so each split has parts of the
    /// whole text.
    fn new(text: String) -> Self {
        let mut corpus = Corpus { train: String::new(), valid: String::new(), test: String::new() };
        for (place, paragraph) in text.split("\n\n").enumerate() {
            let split = match place % 10 {
                4 => &mut corpus.valid,
                9 => &mut corpus.test,
                _ => &mut corpus.train,
            };
            split.push_str(paragraph.trim());
            split.push_str("\n\n");
        }
        corpus
    }
}

/// Cuts a text at a part of its length, before a paragraph.
fn cut(text: &str, part: f64) -> (&str, &str) {
    let from = (text.len() as f64 * part) as usize;
    let place = text.as_bytes().windows(2).skip(from).position(|pair| pair == b"\n\n");
    text.split_at(place.map_or(text.len(), |place| from + place + 2))
}
