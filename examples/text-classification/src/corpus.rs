//! Texts in three splits, with the names of their classes.

use burn::data::dataset::text::{AgNewsDataset, Article, ArticleSplit, DbPediaDataset};
use burn::data::dataset::transform::{PartialDataset, ShuffledDataset};
use burn::data::dataset::{Dataset, DatasetError};
use std::error::Error;
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// Definitions of nouns, of WordNet 3.0; `data/README.md` has its licence.
const DEFINITIONS: &[u8] = include_bytes!("../data/definitions.csv.gz");

/// The classes of the definitions: the lexicographer files of WordNet that they come from.
const DEFINITION_CLASSES: [&str; 8] =
    ["act", "animal", "artifact", "communication", "food", "location", "person", "plant"];

/// Texts to learn from, texts by which epochs are chosen, and texts that are seen once, in the end.
#[derive(Clone)]
pub struct Corpus {
    pub train: Arc<dyn Dataset<Article>>,
    pub valid: Arc<dyn Dataset<Article>>,
    pub test: Arc<dyn Dataset<Article>>,
    /// The names of the classes; a label is a position in this list.
    pub classes: Vec<String>,
}

impl fmt::Debug for Corpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Corpus { train, valid, test, classes } = self;
        let (train, valid, test) = (train.len(), valid.len(), test.len());
        write!(f, "Corpus({train} to train, {valid} to validate, {test} to test, of {classes:?})")
    }
}

impl Corpus {
    /// The 4,800 definitions inside of the program: 600 nouns of each of eight classes, in random order.
    ///
    /// # Errors
    /// If the program was built with another file.
    pub fn definitions() -> Result<Self, Box<dyn Error>> {
        let mut text = String::new();
        flate2::read::GzDecoder::new(DEFINITIONS).read_to_string(&mut text)?;
        let mut rows = csv::ReaderBuilder::new();
        let rows = rows.has_headers(false).from_reader(text.as_bytes()).into_deserialize();
        let articles: Vec<Article> = rows
            .collect::<Result<Vec<(usize, String, String)>, _>>()?
            .into_iter()
            .map(|(class, title, text)| Article { title, text, label: class - 1 })
            .collect();
        let tests = articles.len() / 10;
        let (articles, count) = (Arc::new(burn::data::dataset::InMemDataset::new(articles)), 10 * tests);
        let test = Arc::new(PartialDataset::new(articles.clone(), count - tests, count));
        Ok(Self::new(Arc::new(PartialDataset::new(articles, 0, count - tests)), test, &DEFINITION_CLASSES))
    }

    /// AG's news: 120,000 to train on and 7,600 to test, in `folder` or where [`AgNewsDataset::open`] looks
    /// for them.
    ///
    /// # Errors
    /// If the files are not there; the error says where they are to be had.
    pub fn ag_news(folder: Option<&Path>, seed: u64) -> Result<Self, DatasetError> {
        let open = |split| match folder {
            Some(folder) => AgNewsDataset::from_dir(folder, split),
            None => AgNewsDataset::open(split),
        };
        let (train, test) = (open(ArticleSplit::Train)?, open(ArticleSplit::Test)?);
        Ok(Self::new(
            Arc::new(ShuffledDataset::with_seed(train, seed)),
            Arc::new(test),
            AgNewsDataset::CLASSES,
        ))
    }

    /// DBpedia: 560,000 entries to train on and 70,000 to test, in `folder` or where [`DbPediaDataset::open`]
    /// looks for them.
    ///
    /// # Errors
    /// If the files are not there; the error says where they are to be had.
    pub fn db_pedia(folder: Option<&Path>, seed: u64) -> Result<Self, DatasetError> {
        let open = |split| match folder {
            Some(folder) => DbPediaDataset::from_dir(folder, split),
            None => DbPediaDataset::open(split),
        };
        let (train, test) = (open(ArticleSplit::Train)?, open(ArticleSplit::Test)?);
        Ok(Self::new(
            Arc::new(ShuffledDataset::with_seed(train, seed)),
            Arc::new(test),
            DbPediaDataset::CLASSES,
        ))
    }

    /// A ninth of the training texts, at their end, is for validation.
    fn new(texts: Arc<dyn Dataset<Article>>, test: Arc<dyn Dataset<Article>>, classes: &[&str]) -> Self {
        let (count, cut) = (texts.len(), texts.len() - texts.len() / 9);
        Corpus {
            valid: Arc::new(PartialDataset::new(texts.clone(), cut, count)),
            train: Arc::new(PartialDataset::new(texts, 0, cut)),
            test,
            classes: classes.iter().map(|class| (*class).to_owned()).collect(),
        }
    }

    /// Keeps at most `count` training texts.
    pub fn with_train_texts(mut self, count: usize) -> Self {
        self.train = Arc::new(PartialDataset::new(self.train.clone(), 0, count.min(self.train.len())));
        self
    }

    /// The share of the most frequent class of the training texts among the test texts: a predictor that
    /// always says it is right that often.
    pub fn majority_accuracy(&self) -> f64 {
        let counts = |texts: &Arc<dyn Dataset<Article>>| {
            let mut counts = vec![0_usize; self.classes.len()];
            texts.iter().for_each(|article| counts[article.label] += 1);
            counts
        };
        let train = counts(&self.train);
        let majority = (0..train.len()).max_by_key(|&class| train[class]).unwrap_or(0);
        let test = counts(&self.test);
        test[majority] as f64 / self.test.len().max(1) as f64
    }
}
