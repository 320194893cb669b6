#!/usr/bin/env python3
"""Writes the files of crates/burn/tests/spec/torch/signal: transforms and windows of PyTorch in float64, and their gradients.

Run it with PyTorch 2.11 from the root of the repository: python scripts/signal_fixtures.py
"""

import pathlib

import torch

torch.set_default_dtype(torch.float64)


def ramp(*shape):
    """Numbers that are different in each place and the same everywhere: the tests make them too."""
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 7 % 11 - 5) / 4).to(torch.float64).reshape(shape)


def parts(name, z):
    return {f"{name}_RE": z.real, f"{name}_IM": z.imag}


def transforms():
    real, z = ramp(2, 6), torch.complex(ramp(2, 5), ramp(5, 2).T.contiguous())
    half = torch.complex(ramp(2, 4), ramp(4, 2).T.contiguous())
    plane = ramp(3, 4)
    values = parts("FFT", torch.fft.fft(z)) | parts("FFT_FIRST", torch.fft.fft(z, dim=0))
    values |= parts("FFT_LONG", torch.fft.fft(z, n=7)) | parts("FFT_SHORT", torch.fft.fft(z, n=3))
    values |= parts("IFFT", torch.fft.ifft(z)) | parts("RFFT", torch.fft.rfft(real))
    values |= parts("RFFT_ODD", torch.fft.rfft(real, n=5)) | parts("RFFT_LONG", torch.fft.rfft(real, n=9))
    values |= {
        "IRFFT": torch.fft.irfft(half),
        "IRFFT_ODD": torch.fft.irfft(half, n=7),
        "IRFFT_SHORT": torch.fft.irfft(half, n=4),
        "IRFFT_LONG": torch.fft.irfft(half, n=9),
    }
    values |= parts("FFT2", torch.fft.fft2(torch.complex(plane, plane.flip(0))))
    values |= parts("RFFT2", torch.fft.rfft2(plane)) | parts("RFFT2_SIZES", torch.fft.rfft2(plane, s=(4, 5)))
    values["IRFFT2"] = torch.fft.irfft2(torch.fft.rfft2(plane) * 2, s=(3, 4))
    values["FFTFREQ_EVEN"], values["FFTFREQ_ODD"] = torch.fft.fftfreq(6, 0.5), torch.fft.fftfreq(5, 0.5)
    values["RFFTFREQ"] = torch.fft.rfftfreq(6, 0.5)
    values["FFTSHIFT"], values["IFFTSHIFT"] = torch.fft.fftshift(ramp(3, 5)), torch.fft.ifftshift(ramp(3, 5))
    return values


def windows():
    values = {}
    for name in ["hann", "hamming", "blackman"]:
        make = getattr(torch, f"{name}_window")
        values[name.upper()], values[f"{name.upper()}_SYMMETRIC"] = make(7), make(7, periodic=False)
    return values


def short_time():
    x, window = ramp(2, 20), torch.hann_window(6)
    options = {"n_fft": 6, "hop_length": 2, "window": window, "return_complex": True}
    values = parts("STFT", torch.stft(x, **options))
    values |= parts("STFT_START", torch.stft(x, **options, center=False, normalized=True))
    values["ISTFT"] = torch.istft(torch.stft(x, **options) * (1 + 0.5j), 6, 2, window=window, length=20)
    return values


def short_time_two_sided():
    whole = {"n_fft": 8, "hop_length": 3, "win_length": 5, "window": torch.hamming_window(5), "return_complex": True}
    return parts("STFT_WHOLE", torch.stft(ramp(2, 20), **whole, onesided=False))


def gradients():
    """Of sum(weights * power of the spectrum), and of the same of an inverse."""
    x = ramp(2, 7).requires_grad_()
    z = torch.fft.rfft(x)
    (ramp(2, 4) * (z.real**2 + z.imag**2)).sum().backward()
    signal = ramp(1, 16).requires_grad_()
    z = torch.stft(signal, 4, 2, window=torch.hann_window(4), return_complex=True)
    (ramp(1, 3, 9) * (z.real**2 + z.imag**2)).sum().backward()
    re, im = ramp(1, 3, 9).requires_grad_(), ramp(1, 3, 9).flip(2).requires_grad_()
    back = torch.istft(torch.complex(re, im), 4, 2, window=torch.hann_window(4))
    (ramp(1, 16) * back**2).sum().backward()
    return {"RFFT_GRAD": x.grad, "STFT_GRAD": signal.grad, "ISTFT_GRAD_RE": re.grad, "ISTFT_GRAD_IM": im.grad}


def declaration(name, tensor):
    tensor = tensor.detach()
    ty = "f64"
    for size in reversed(tensor.shape):
        ty = f"[{ty}; {size}]"
    return f"pub const {name}: {ty} = {tensor.tolist()};\n"


FILES = {
    "fourier": transforms,
    "windows": windows,
    "stft": short_time,
    "stft_two_sided": short_time_two_sided,
    "gradients": gradients,
}
for file, values in FILES.items():
    head = f"//! Signals of PyTorch in float64: {file}. Written by `scripts/signal_fixtures.py`.\n\n"
    text = head + "".join(declaration(name, tensor) for name, tensor in values().items())
    pathlib.Path(f"crates/burn/tests/spec/torch/signal/{file}.rs").write_text(text)
print(f"wrote {', '.join(FILES)} with PyTorch {torch.__version__}")
