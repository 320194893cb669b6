//! Metrics, which measure a model while it trains.
//!
//! One metric is one file. Values of an epoch come from the counts or sums of the whole epoch, not from a
//! mean over batches.

mod accuracy;
mod adaptor;
mod any;
mod auroc;
mod average;
mod bleu;
mod cer;
mod class_counts;
mod classification_input;
mod confusion_matrix;
mod counted;
#[cfg(feature = "sysinfo")]
mod cpu_memory;
#[cfg(feature = "sysinfo")]
mod cpu_temperature;
#[cfg(feature = "sysinfo")]
mod cpu_usage;
#[cfg(feature = "nvml")]
mod cuda;
mod dice;
mod edit_distance;
mod entry;
mod f_beta;
mod format;
#[cfg(feature = "nvml")]
mod gpu_temperature;
mod hamming;
mod hits;
mod image_input;
mod iteration_speed;
mod learning_rate;
mod loss;
mod mean_absolute_error;
mod metadata;
mod numeric_entry;
mod numeric_state;
#[cfg(feature = "nvml")]
mod nvml_device;
mod perplexity;
mod precision;
mod psnr;
mod r2;
mod rank_statistic;
mod recall;
mod regression_input;
mod root_mean_square_error;
mod score_by_class;
mod segmentation_input;
#[cfg(any(feature = "sysinfo", feature = "nvml"))]
mod sensor;
mod ssim;
mod text_input;
mod top_k_accuracy;
mod wer;

pub use accuracy::{AccuracyInput, AccuracyMetric};
pub use adaptor::Adaptor;
pub use any::{Metric, Numeric};
pub use auroc::AurocMetric;
pub use average::Average;
pub use bleu::{BleuInput, BleuMetric};
pub use cer::CerMetric;
pub use classification_input::{ClassificationInput, ClassificationTargets};
pub use confusion_matrix::{ConfusionMatrix, ConfusionMatrixMetric};
pub use counted::CountedMetric;
#[cfg(feature = "sysinfo")]
pub use cpu_memory::CpuMemoryMetric;
#[cfg(feature = "sysinfo")]
pub use cpu_temperature::CpuTemperatureMetric;
#[cfg(feature = "sysinfo")]
pub use cpu_usage::CpuUsageMetric;
#[cfg(feature = "nvml")]
pub use cuda::CudaMetric;
pub use dice::DiceMetric;
pub use entry::MetricEntry;
pub use f_beta::FBetaMetric;
pub use format::FormatOptions;
#[cfg(feature = "nvml")]
pub use gpu_temperature::GpuTemperatureMetric;
pub use hamming::HammingMetric;
pub use image_input::ImageInput;
pub use iteration_speed::IterationSpeedMetric;
pub use learning_rate::LearningRateMetric;
pub use loss::{LossInput, LossMetric};
pub use mean_absolute_error::MeanAbsoluteErrorMetric;
pub use metadata::MetricMetadata;
pub use numeric_entry::{NumericEntry, ParseNumericEntryError};
pub use numeric_state::NumericMetricState;
pub use perplexity::PerplexityMetric;
pub use precision::PrecisionMetric;
pub use psnr::PsnrMetric;
pub use r2::R2Metric;
pub use recall::RecallMetric;
pub use regression_input::RegressionInput;
pub use root_mean_square_error::RootMeanSquareErrorMetric;
pub use segmentation_input::SegmentationInput;
pub use ssim::SsimMetric;
pub use text_input::TextInput;
pub use top_k_accuracy::{TopKAccuracyInput, TopKAccuracyMetric};
pub use wer::WerMetric;
