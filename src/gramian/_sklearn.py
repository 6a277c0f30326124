"""The only file that imports scikit-learn, and only when scikit-learn itself asks."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gramian._tags import Tags


def to_sklearn_tags(tags: "Tags") -> Any:
    """Return scikit-learn's own ``Tags`` for ours, so that its tools know our estimators."""
    from sklearn.utils import (
        ClassifierTags,
        InputTags,
        RegressorTags,
        TargetTags,
        TransformerTags,
    )
    from sklearn.utils import Tags as SklearnTags

    kind = tags.estimator_type
    return SklearnTags(
        estimator_type=kind,
        target_tags=TargetTags(
            required=tags.required_y,
            multi_output=tags.multi_output,
            single_output=tags.single_output,
            positive_only=tags.positive_y,
        ),
        transformer_tags=TransformerTags(preserves_dtype=list(tags.preserves_dtype))
        if tags.transformer
        else None,
        classifier_tags=ClassifierTags(
            poor_score=tags.poor_score,
            multi_class=tags.multi_class,
            multi_label=tags.multi_label,
        )
        if kind == "classifier"
        else None,
        regressor_tags=RegressorTags(poor_score=tags.poor_score) if kind == "regressor" else None,
        input_tags=InputTags(
            sparse=tags.sparse,
            categorical=tags.categorical,
            string=tags.string,
            allow_nan=tags.allow_nan,
            positive_only=tags.positive_only,
            pairwise=tags.pairwise,
            one_d_array=tags.one_d_array,
            two_d_array=tags.two_d_array,
        ),
        requires_fit=tags.requires_fit,
        non_deterministic=tags.non_deterministic,
        no_validation=tags.no_validation,
    )
