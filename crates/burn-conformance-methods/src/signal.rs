use super::calls::{Named, calls};
use crate::finish::Finish;
use burn_backend::dynamic::Dynamic;
use burn_tensor::signal;

/// Calls of signal processing.
pub fn calls<const D: usize>() -> &'static [Named] {
    calls! { a;
        "fft" signal::try_fft(a.float::<D>(), a.float(), a.dim(), Some(a.size()));
        "fft" signal::try_fft(a.float::<D>(), a.float(), a.dim(), None);
        "ifft" signal::try_ifft(a.float::<D>(), a.float(), a.dim(), Some(a.size()));
        "rfft" signal::try_rfft(a.float::<D>(), a.dim(), Some(a.size()));
        "rfft" signal::try_rfft(a.float::<D>(), a.dim(), None);
        "irfft" signal::try_irfft(a.float::<D>(), a.float(), a.dim(), Some(a.size()));
        "irfft" signal::try_irfft(a.float::<D>(), a.float(), a.dim(), None);
        "fft2" signal::try_fft2(a.float::<D>(), a.float(), Some(a.sizes()));
        "ifft2" signal::try_ifft2(a.float::<D>(), a.float(), None);
        "rfft2" signal::try_rfft2(a.float::<D>(), Some(a.sizes()));
        "irfft2" signal::try_irfft2(a.float::<D>(), a.float(), Some(a.sizes()));
        "irfft2" signal::try_irfft2(a.float::<D>(), a.float(), None);
        "fftshift" signal::try_fftshift(a.float::<D>(), &a.dims());
        "ifftshift" signal::try_ifftshift(a.int::<D>(), &a.dims());
        "stft" signal::try_stft(a.float(), a.maybe(), &a.frames());
        "istft" signal::try_istft(a.float(), a.float(), a.maybe(), &a.frames(), None);
        "istft" signal::try_istft(a.float(), a.float(), a.maybe(), &a.frames(), Some(a.size()));
        "hann_window" signal::try_hann_window::<Dynamic>(a.size(), a.flag(), a.device);
        "hamming_window" signal::try_hamming_window::<Dynamic>(a.size(), a.flag(), a.device);
        "blackman_window" signal::try_blackman_window::<Dynamic>(a.size(), a.flag(), a.device);
        "fftfreq" signal::try_fftfreq::<Dynamic>(a.size(), a.fraction(), a.device);
        "rfftfreq" signal::try_rfftfreq::<Dynamic>(a.size(), a.fraction(), a.device);
    }
}
