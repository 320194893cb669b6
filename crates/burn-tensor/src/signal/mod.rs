//! Fourier transforms, windows, and what is made of them.
//!
//! A complex tensor is two tensors of one shape, its real and its imaginary part. Forward transforms do not
//! scale, inverse ones divide by the number of elements, as PyTorch's do by default. Every transform takes
//! `O(n log n)` for every length `n`, primes too, and has gradients of every order.

mod fft2;
mod fourier;
mod frequency;
mod stft;
mod window;

pub use fft2::{fft2, ifft2, irfft2, rfft2, try_fft2, try_ifft2, try_irfft2, try_rfft2};
pub use fourier::{fft, ifft, irfft, rfft, try_fft, try_ifft, try_irfft, try_rfft};
pub use frequency::{
    fftfreq, fftshift, ifftshift, rfftfreq, try_fftfreq, try_fftshift, try_ifftshift, try_rfftfreq,
};
pub use stft::{StftOptions, istft, stft, try_istft, try_stft};
pub use window::{
    blackman_window, hamming_window, hann_window, try_blackman_window, try_hamming_window, try_hann_window,
};
