"""One-class formulas slowly, each from its definition: word by word, and LTB by products of probabilities that may underflow."""

from __future__ import annotations

import math


def word_scores(totals, background):
    """ln of the share here over the share in general, half a count added to every word in general."""
    here = sum(totals)
    general = sum(b + 0.5 for b in background)
    return [
        math.log((t / here) / ((b + 0.5) / general))
        for t, b in zip(totals, background, strict=True)
    ]


def min_entropy(counts):
    """sum over w of (c_dw / |d|) ln P(w), per member."""
    m = len(counts[0])
    total = sum(map(sum, counts))
    shares = [sum(row[w] for row in counts) / total for w in range(m)]
    return [
        sum(row[w] / sum(row) * math.log(shares[w]) for w in range(m) if row[w])
        if sum(row)
        else -math.inf
        for row in counts
    ]


def kl(counts, scores):
    """sum over w of (c_dw / |d|) s(w), per member."""
    return [
        sum(c / sum(row) * s for c, s in zip(row, scores, strict=True)) if sum(row) else -math.inf
        for row in counts
    ]


def occc(counts, scores, m_r, norm):
    """The steps of section 7.3: sort the words, keep the first, and average the scores of what a member holds of them."""
    best = sorted(range(len(scores)), key=lambda w: (-scores[w], w))[:m_r]
    found = []
    for row in counts:
        held = sum(row[w] for w in best)
        by = {"relevant": held, "length": sum(row), "none": 1.0}[norm]
        found.append(sum(row[w] * scores[w] for w in best) / by if held else -math.inf)
    return found


def ltb(counts, scores, p_d, pi_start, iterations):
    """Algorithm 4 and appendix B with plain products: log-odds and probabilities of the last E-step, and all likelihoods."""
    n = len(counts)
    m = len(scores)
    total = sum(map(sum, counts))
    eps = 1e-9 * total / m
    p_r = [math.exp(s) / sum(map(math.exp, scores)) for s in scores]
    p_g = [math.exp(-s) / sum(math.exp(-t) for t in scores) for s in scores]
    pi = [pi_start] * n
    likelihoods = []
    for _ in range(iterations):
        alpha = []
        odds = []
        beta = []
        likelihood = 0.0
        for i in range(n):
            core = p_d
            rest = 1.0 - p_d
            for w in range(m):
                core *= (pi[i] * p_r[w] + (1 - pi[i]) * p_g[w]) ** counts[i][w]
                rest *= p_g[w] ** counts[i][w]
            alpha.append(core / (core + rest))
            odds.append(math.log(core) - math.log(rest))
            likelihood += math.log(core + rest)
            beta.append(
                [pi[i] * p_r[w] / (pi[i] * p_r[w] + (1 - pi[i]) * p_g[w]) for w in range(m)]
            )
        likelihoods.append(likelihood)
        for i in range(n):
            if sum(counts[i]):
                pi[i] = sum(counts[i][w] * beta[i][w] for w in range(m)) / sum(counts[i])
                pi[i] = min(max(pi[i], 1e-12), 1 - 1e-12)
        rho = [sum(alpha[i] * counts[i][w] * beta[i][w] for i in range(n)) for w in range(m)]
        often = [sum(row[w] for row in counts) for w in range(m)]
        p_r = [(rho[w] + eps) / (sum(rho) + m * eps) for w in range(m)]
        p_g = [(often[w] - rho[w] + eps) / (total - sum(rho) + m * eps) for w in range(m)]
    return {
        "odds": odds,
        "alpha": alpha,
        "likelihoods": likelihoods,
        "p_r": p_r,
        "p_g": p_g,
        "pi": pi,
    }


def ball(rows, center, size):
    """The `size` rows nearest to a center, then their mean, until they stay; the rows and the sum of squared distances."""
    before = None
    while True:
        far = [sum((a - b) ** 2 for a, b in zip(row, center, strict=True)) for row in rows]
        inside = sorted(sorted(range(len(rows)), key=lambda i: (far[i], i))[:size])
        if inside == before:
            return inside, sum(far[i] for i in inside)
        before = inside
        center = [sum(rows[i][w] for i in inside) / size for w in range(len(center))]
