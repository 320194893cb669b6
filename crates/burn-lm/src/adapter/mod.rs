//! Adapters in the files of Python's PEFT.

mod peft_config;
mod peft_files;
mod peft_names;
