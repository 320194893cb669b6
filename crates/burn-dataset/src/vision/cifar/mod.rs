mod cifar10;
mod cifar100;
mod records;

pub use cifar10::{Cifar10Dataset, Cifar10Item};
pub use cifar100::{Cifar100Dataset, Cifar100Item};
pub use records::CifarSplit;
