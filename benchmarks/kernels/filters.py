"""Filters of signals and images."""

import numpy as np

from harness.kernels import kernel


@kernel(
    lambda random: (random.standard_normal(20_000), np.array([[0.2, 0.3, 0.2, -0.5, 0.2], [0.5, 0.1, 0.3, 0.3, -0.1]])),
    wrt=(0, 1),
)
def biquads(signal, sections):
    """Filters of second order in a row (direct form II transposed); sections: b0, b1, b2, a1, a2 of each."""
    out = signal.copy()
    for s in range(sections.shape[0]):
        b0, b1, b2, a1, a2 = sections[s]
        first = 0.0
        second = 0.0
        for t in range(out.shape[0]):
            x = out[t]
            y = b0 * x + first
            first = b1 * x - a1 * y + second
            second = b2 * x - a2 * y
            out[t] = y
    return np.sum(out**2)


@kernel(
    lambda random: (random.standard_normal(2000), random.standard_normal(2000), 0.01, 16),
    wrt=(0, 1, 2),
)
def least_mean_squares(signal, desired, rate, taps):
    """An adaptive filter: its weights follow the error of each sample."""
    weights = np.zeros(taps)
    error = 0.0
    for t in range(taps, signal.shape[0]):
        window = signal[t - taps : t]
        missed = desired[t] - np.dot(weights, window)
        weights += rate * missed * window
        error += missed**2
    return error


@kernel(lambda random: (random.standard_normal(16_384), 0.1), wrt=(0, 1))
def wavelet_shrinkage(signal, threshold):
    """Haar's transform level by level; what lies above a soft threshold counts."""
    x = signal.copy()
    n = x.shape[0]
    total = 0.0
    while n > 1:
        half = n // 2
        even = x[0:n:2].copy()
        odd = x[1:n:2].copy()
        detail = (even - odd) / np.sqrt(2.0)
        total += np.sum(np.maximum(np.abs(detail) - threshold, 0.0) ** 2)
        x[:half] = (even + odd) / np.sqrt(2.0)
        n = half
    return total + x[0] ** 2


@kernel(
    lambda random: (np.sin(np.arange(6000) / 6) + 0.1 * random.standard_normal(6000), 0.3, 0.05, 0.2, 24),
    wrt=(1, 2, 3),
)
def holt_winters(series, level_rate, trend_rate, season_rate, period):
    """The squared error of forecasts one step ahead, by level, trend and season."""
    level = series[0]
    trend = series[1] - series[0]
    season = np.zeros(period)
    error = 0.0
    for t in range(1, series.shape[0]):
        k = t % period
        forecast = level + trend + season[k]
        error += (series[t] - forecast) ** 2
        last = level
        level = level_rate * (series[t] - season[k]) + (1 - level_rate) * (level + trend)
        trend = trend_rate * (level - last) + (1 - trend_rate) * trend
        season[k] = season_rate * (series[t] - level) + (1 - season_rate) * season[k]
    return error / series.shape[0]


@kernel(lambda random: (random.random((40, 40)), 2.0, 0.2, 3), wrt=(0, 1, 2))
def bilateral(image, reach, contrast, radius):
    """Smooths an image but not across its edges: near pixels of similar brightness weigh most."""
    height, width = image.shape
    total = 0.0
    for i in range(radius, height - radius):
        for j in range(radius, width - radius):
            weights = 0.0
            value = 0.0
            for di in range(-radius, radius + 1):
                for dj in range(-radius, radius + 1):
                    other = image[i + di, j + dj]
                    distance = (di * di + dj * dj) / (2 * reach**2)
                    w = np.exp(-distance - (other - image[i, j]) ** 2 / (2 * contrast**2))
                    weights += w
                    value += w * other
            total += (value / weights) ** 2
    return total


@kernel(lambda random: (random.standard_normal(10_000), np.array([0.7, 0.65, 0.6]), 0.3), wrt=(0, 1, 2))
def reverberation(dry, gains, wet):
    """Schroeder's reverberation: combs in parallel, each a line of delays in a ring."""
    delays = (149, 211, 263)
    out = (1 - wet) * dry
    for c in range(3):
        line = np.zeros(delays[c])
        place = 0
        for t in range(dry.shape[0]):
            heard = line[place]
            line[place] = dry[t] + gains[c] * heard
            out[t] += wet * heard
            place += 1
            if place == delays[c]:
                place = 0
    return np.sum(out**2) / out.shape[0]
