"""Steps one after another, and transformers side by side, as one estimator."""

from gramian.pipeline._pipeline import Pipeline, make_pipeline
from gramian.pipeline._union import FeatureUnion, make_union

__all__ = ["FeatureUnion", "Pipeline", "make_pipeline", "make_union"]
