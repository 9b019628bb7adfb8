"""The table of all methods: where each lives, its room, what it takes and gives, and one sentence."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the catalog."""

    name: str
    where: str  # "module:Class"
    room: str
    takes: str
    gives: str
    sentence: str
    extra: str = ""  # the optional install it needs, if any

    def load(self) -> type[Any]:
        """The class itself."""
        module, name = self.where.split(":")
        found: type[Any] = getattr(importlib.import_module(module), name)
        return found


def _entry(where: str, takes: str, gives: str, sentence: str, extra: str = "") -> Entry:
    module, name = where.split(":")
    return Entry(
        name, f"coterie.{module}:{name}", module.split(".")[0], takes, gives, sentence, extra
    )


ENTRIES: tuple[Entry, ...] = (
    _entry(
        "represent.terms:Terms",
        "Text",
        "Table",
        "Documents as sparse rows of weighted terms (the vector space model): binary, tf, tfidf, tfidf_var or bm25.",
    ),
    _entry(
        "represent.lsa:LSA",
        "Table",
        "Table",
        "Latent semantic analysis: rows projected on the leading singular vectors of the table, without centring.",
    ),
    _entry(
        "represent.plsa:PLSA",
        "Table",
        "Table",
        "Probabilistic latent semantic analysis: documents as shares of topics, fitted by (tempered) EM on counts of words.",
    ),
    _entry(
        "represent.lda:LDA",
        "Table",
        "Table",
        "Latent Dirichlet allocation: documents as posterior mean shares of topics.",
    ),
    _entry(
        "represent.ttmm:TTMM",
        "Table",
        "Table",
        "Theme-topic mixture model: a theme per document, topics mixed by each theme; transform gives a document's topics.",
    ),
    _entry(
        "represent.nntr:NNTR",
        "Table",
        "Table",
        "A neural network trained to tell which words fit which documents; vectors for words and documents (Keller 2006).",
        "neural",
    ),
    _entry(
        "represent.siamese:Siamese",
        "Text",
        "Table",
        "Documents as vectors of a network trained on paragraphs: two of one document are nearer than one of another.",
        "neural",
    ),
    _entry(
        "represent.word_vectors:WordVectors",
        "Text",
        "Table",
        "Texts as the mean of the vectors of their tokens, frequent tokens weighing less (smooth inverse frequency).",
        "embed",
    ),
    _entry(
        "represent.pwca:PWCA",
        "Views",
        "Table",
        "Pair-wise cluster analysis: components present in every view of the same members, from two views on.",
    ),
    _entry(
        "represent.kcca:KCCA",
        "Views",
        "Table",
        "Kernel canonical correlation analysis of two or more views (Bach and Jordan), regularized.",
    ),
    _entry(
        "represent.cca:CCA",
        "Views",
        "Table",
        "Canonical correlation analysis of two or more tables of the same members, dense or sparse; classical at kappa = 0.",
    ),
    _entry(
        "represent.scaling:Scaling",
        "Table",
        "Table",
        "Numeric columns to comparable spread, gaps to the median, words to one column per level (a mismatch is one unit).",
    ),
    _entry(
        "represent.scaled_pca:ScaledPCA",
        "Table",
        "Table",
        "Skewed columns as logarithms, all scaled and clipped, then principal components; categories and two-valued columns beside.",
    ),
    _entry(
        "represent.shapes:Shapes",
        "Ragged",
        "Table",
        "Sequences as numbers of fixed length: level, spread, movement and course.",
    ),
    _entry(
        "represent.convolutions:RandomConvolutions",
        "Ragged",
        "Table",
        "Sequences as shares of steps at which random dilated convolutions exceed their thresholds.",
    ),
    _entry(
        "represent.series:Means",
        "Ragged",
        "Table",
        "Sequences or sets as the mean of every dimension and, if wanted, the signed roots of the covariances.",
    ),
    _entry(
        "represent.series:Quantiles",
        "Ragged",
        "Table",
        "Sequences or sets as quantiles of their values, of their differences and of the sizes of their second differences.",
    ),
    _entry(
        "represent.series:PowerSpectrum",
        "Ragged",
        "Table",
        "Sequences as the logarithm of their power in bands of frequency, a channel at a time.",
    ),
    _entry(
        "represent.series:Paths",
        "Ragged",
        "Table",
        "Sequences as their course: each channel at equally spaced moments, averaged where there are more steps.",
    ),
    _entry(
        "represent.silence:TrimSilence",
        "Ragged",
        "Ragged",
        "Recordings without offset, at a peak of one, and without the silence before and after.",
    ),
    _entry(
        "represent.gradients:HOG",
        "Pictures",
        "Table",
        "Pictures as histograms of oriented gradients: the directions of edges in each cell, normalized by block.",
    ),
    _entry(
        "represent.patches:RandomPatches",
        "Pictures",
        "Table",
        "Pictures as responses to whitened random patches of the pictures, pooled over a grid.",
    ),
    _entry(
        "represent.lab_colors:LabHistogram",
        "Pictures",
        "Table",
        "Pictures as roots of the shares of their pixels in bins of CIE Lab; distances are Hellinger's.",
    ),
    _entry(
        "represent.mentions:SpellingByContext",
        "TaggedText",
        "Table",
        "Mentions as coordinates of correspondence analysis between how they are spelled and what stands around them.",
    ),
    _entry(
        "represent.mentions:SpellingCounts",
        "TaggedText",
        "Table",
        "Mentions as sparse counts of their spellings and of what stands around them, those of the same words together.",
    ),
    _entry(
        "represent.frames:Frames",
        "Ragged",
        "Ragged",
        "Waveforms as sequences of short-time features: MFCC, PLP, LPC, LPC cepstra or mel filters, with differences.",
    ),
    _entry(
        "represent.integration:Integration",
        "Ragged",
        "Ragged",
        "Sequences as shorter ones: one vector per window, of how its steps follow one another or of their moments.",
    ),
    _entry(
        "represent.contexts:Contexts",
        "TaggedText",
        "Table",
        "Mentions as sparse counts of the words and tags around them (bag of words): tf or tfidf.",
    ),
    _entry(
        "represent.contexts:Attributes",
        "TaggedText",
        "Table",
        "Mentions as categories: the words and tags at each place around the first token, one column per place.",
    ),
    _entry(
        "represent.colours:Colours",
        "Pictures",
        "Table",
        "Pictures as sparse counts of pixels of every colour: red, green and blue cut into equal bins.",
    ),
    _entry(
        "represent.texture:Texture",
        "Pictures",
        "Table",
        "Pictures as counts of pixels by their texture: the strongest of 12 Gabor filters, or flat.",
    ),
    _entry(
        "represent.regions:RegionFeatures",
        "Pictures",
        "Ragged",
        "Pictures as sets of regions of a grid, 30 numbers each: 12 of Gabor texture, 18 of colour.",
    ),
    _entry(
        "represent.blobs:Blobs",
        "Pictures",
        "Table",
        "Pictures as counts of blobs: kinds of regions, found by k-means on their texture and colour.",
    ),
    _entry(
        "represent.embedding:Embedding",
        "Affinity",
        "Table",
        "A map of the members from an affinity: classical scaling, t-SNE, or UMAP.",
    ),
    _entry(
        "compare.vectors:Cosine",
        "Table",
        "Affinity",
        "Cosine similarity: the inner product of rows brought to length one; a row of zeros is like itself only.",
    ),
    _entry(
        "compare.vectors:Chord",
        "Table",
        "Affinity",
        "Chord distance: sqrt(2 - 2 cos) of two rows, Euclidean between rows of length one; a row of zeros is far from all.",
    ),
    _entry(
        "compare.vectors:Euclidean",
        "Table",
        "Affinity",
        "Euclidean distance: the length of the difference of two rows.",
    ),
    _entry(
        "compare.vectors:Minkowski",
        "Table",
        "Affinity",
        "Minkowski distance: the p-th root of the sum of the p-th powers of the differences.",
    ),
    _entry(
        "compare.vectors:Mahalanobis",
        "Table",
        "Affinity",
        "Mahalanobis distance: Euclidean after the covariance of the members has been taken out.",
    ),
    _entry(
        "compare.histograms:JensenShannon",
        "Table",
        "Affinity",
        "Jensen-Shannon distance: the square root of the divergence, in bits, of two rows from their mean; from 0 to 1.",
    ),
    _entry(
        "compare.histograms:ChiSquare",
        "Table",
        "Affinity",
        "Chi-square distance: half the sum of (p - q)^2 / (p + q) over the columns of two histograms.",
    ),
    _entry(
        "compare.mixed:Hamming",
        "Table",
        "Affinity",
        "Hamming distance: the share of columns in which two rows differ.",
    ),
    _entry(
        "compare.mixed:Gower",
        "Table",
        "Affinity",
        "Gower distance: the mean difference over the columns both rows have; numbers by their range, words by equality.",
    ),
    _entry(
        "compare.kernels:Linear",
        "Table",
        "Affinity",
        "Linear kernel: the inner product of two rows.",
    ),
    _entry(
        "compare.kernels:Polynomial",
        "Table",
        "Affinity",
        "Polynomial kernel: (scale * inner product + offset) to a power.",
    ),
    _entry(
        "compare.kernels:Gaussian",
        "Table",
        "Affinity",
        "Gaussian kernel: exp(-d^2 / (2 width^2)) of the Euclidean distance d.",
    ),
    _entry(
        "compare.kernels:Laplacian",
        "Table",
        "Affinity",
        "Laplacian kernel: exp(-d / width) of the Manhattan distance d; less ruled by single large differences.",
    ),
    _entry(
        "compare.sic.estimator:SIC",
        "Table | Ragged | TaggedText",
        "Affinity",
        "Similarity by iterative classifications: how often classifiers trained on random labels take two members for one.",
    ),
    _entry(
        "compare.sic.ova:OneVersusAll",
        "Table | Ragged | TaggedText",
        "Affinity",
        "One-versus-all SIC: per reference, how often classifiers that know it from all others take a member for it.",
    ),
    _entry(
        "compare.likelihoods:Likelihood",
        "Ragged",
        "Affinity",
        "Distance of sequences (or sets) by what models of single members say of all members: KL-LL, yin-yang, BP, and more.",
    ),
    _entry(
        "compare.product_kernel:ProductKernel",
        "Ragged",
        "Affinity",
        "Probability product kernel between models of the members: how much their laws overlap; a distance, -log of it.",
    ),
    _entry(
        "compare.ssd:SSD",
        "Ragged",
        "Affinity",
        "State-space dynamics: sequences are alike when they walk alike through the states of a model that all share.",
    ),
    _entry(
        "compare.alignment:Alignment",
        "Ragged",
        "Affinity",
        "Dynamic time warping: the least sum of distances between matched steps of two sequences, over their lengths.",
    ),
    _entry(
        "compare.nearest_risk:NearestRisk",
        "Ragged",
        "Affinity",
        "Nearest neighbor risk: how often vectors of two sets are told apart wrongly by their neighbors; 1/2 if of one law.",
    ),
    _entry(
        "compare.divergence:Divergence",
        "Ragged",
        "Affinity",
        "f-divergence between sets of vectors (Jeffreys, KL, Hellinger, ...), from the risk of telling two sets apart.",
    ),
    _entry(
        "compare.mmd:MMD",
        "Ragged",
        "Affinity",
        "Maximum mean discrepancy: how far apart the means of two sets of vectors lie in the space of a kernel.",
    ),
    _entry(
        "compare.expected_likelihood:ExpectedLikelihood",
        "Ragged",
        "Affinity",
        "Expected likelihood kernel between mixtures of normal laws, one of each set: a distance, -log of the normalized kernel.",
    ),
    _entry(
        "compare.glds:GLDS",
        "Ragged",
        "Affinity",
        "Generalized linear discriminant sequence kernel: mean monomials of the vectors of a set, in the metric of all vectors.",
    ),
    _entry(
        "compare.neighborhood:Neighborhood",
        "Affinity",
        "Affinity",
        "Each member's nearest neighbors, scaled by local density.",
    ),
    _entry(
        "organize.spectral:Spectral",
        "Affinity",
        "Partition",
        "Spectral clustering: groups that a random walk rarely leaves.",
    ),
    _entry(
        "organize.mcl:MCL",
        "Affinity",
        "Partition",
        "Markov clustering: flow on the graph gathers in groups.",
    ),
    _entry(
        "organize.leiden:Leiden",
        "Affinity",
        "Partition",
        "Communities of a graph: groups with more links inside than chance or a fixed density would give.",
    ),
    _entry(
        "organize.propagation:Propagation",
        "Affinity",
        "Partition",
        "Label propagation: labels pass along links, from a few known members or from everybody.",
    ),
    _entry(
        "organize.medoids:Medoids",
        "Affinity",
        "Partition",
        "k-medoids: each group around its most central member.",
    ),
    _entry(
        "organize.agglomerative:Agglomerative",
        "Affinity",
        "Partition",
        "Groups merged from the bottom up, with the whole tree.",
    ),
    _entry(
        "organize.density:Density",
        "Affinity",
        "Partition",
        "Dense regions as groups, the sparse rest in none.",
    ),
    _entry(
        "organize.representation_vote:RepresentationVote",
        "Ragged | Pictures | TaggedText",
        "Partition",
        "Members of any kind grouped by a vote of t mixtures on several representations of them.",
    ),
    _entry(
        "organize.hmm_mixture:HMMMixture",
        "Ragged",
        "Partition",
        "Sequences grouped by a mixture of hidden Markov models, one per group.",
    ),
    _entry(
        "organize.student_mixture:StudentMixture",
        "Table",
        "Partition",
        "Rows grouped by a mixture of multivariate Student t distributions, with multinomials for categories.",
    ),
    _entry(
        "organize.mixture_consensus:MixtureConsensus",
        "Table",
        "Partition",
        "What k-means and two mixtures of t distributions (tied and shrunk covariances) agree on, on the scaled table.",
    ),
    _entry(
        "organize.views_consensus:ViewsConsensus",
        "Views",
        "Partition",
        "Members seen in several views, grouped by what models of the views joined and of what the views share agree on.",
    ),
    _entry(
        "organize.sphere_packing:SpherePacking",
        "Ragged | Table",
        "Partition",
        "Sets grouped by packing balls: each set is its smallest enclosing ball in kernel space, the least common ball first.",
    ),
    _entry(
        "organize.segmentation:Segmentation",
        "Ragged",
        "Segmentation",
        "Long sequences cut into segments of one source each, by how alike their windows are or by a classical cost.",
    ),
    _entry(
        "organize.comraf.estimator:Comraf",
        "Links",
        "Partition",
        "Several populations clustered at once, so that their clusters keep the most mutual information (Comraf).",
    ),
    _entry(
        "organize.comraf.estimator:MDC",
        "Links",
        "Partition",
        "Multi-way distributional clustering: members unite while words and all other populations split, step by step.",
    ),
    _entry(
        "organize.comraf.star:ComrafStar",
        "Links",
        "Partition",
        "Members clustered by all their tables at once, all others observed, as they are or by clusters found first (Comraf*).",
    ),
    _entry(
        "organize.bottleneck:SequentialIB",
        "Links",
        "Partition",
        "Sequential information bottleneck: members moved one by one to where the groups keep most of the columns.",
    ),
    _entry(
        "organize.consensus_ib:ConsensusIB",
        "Links",
        "Partition",
        "Counts grouped by the consensus of many runs of the sequential information bottleneck.",
    ),
    _entry(
        "organize.bottleneck:AgglomerativeIB",
        "Links",
        "Partition",
        "Agglomerative information bottleneck: from everyone apart, the pair that loses least information is united.",
    ),
    _entry(
        "organize.itcc:ITCC",
        "Links",
        "Partition",
        "Information-theoretic co-clustering: members and columns reassigned in turn, all at once, by their distributions.",
    ),
    _entry(
        "organize.counted:Topics",
        "Links",
        "Partition",
        "Topics of the members (latent Dirichlet allocation): each member in the group of its largest topic.",
    ),
    _entry(
        "organize.counted:KMeans",
        "Links",
        "Partition",
        "k-means on rows of counts: raw, or weighted by tf-idf and brought to length one, on all columns or on a few of LSA.",
    ),
    _entry(
        "organize.core_of:Core",
        "Links",
        "Ranking",
        "The one coherent core: the members that share a topic, by words more frequent among them than in general.",
    ),
    _entry(
        "organize.comraf.ranking:Rankings",
        "Links",
        "Ranking",
        "Populations in order: given an order of one, the others by the company they keep, over several tables.",
    ),
    _entry(
        "organize.categorize:Categorize",
        "Table",
        "Categories",
        "Labels of a few members given to all others, by a classifier per category on any representation; thresholds validated.",
    ),
    _entry(
        "organize.two_task:TwoTask",
        "Table",
        "Categories",
        "Categories from few labels and unlabeled paragraphs at once: one network, trained on labels and on triplets in turn.",
        "neural",
    ),
)
