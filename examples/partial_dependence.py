"""How the consumption of cars depends on weight and year, in a model with splines."""

from gramian.compose import make_column_transformer
from gramian.datasets import load_auto_mpg
from gramian.inspection import PartialDependenceDisplay
from gramian.linear_model import Ridge
from gramian.pipeline import make_pipeline
from gramian.preprocessing import PolynomialFeatures, SplineTransformer

cars, mpg = load_auto_mpg(return_X_y=True)
X = cars[["weight", "model_year", "displacement"]].astype(float)
splines = make_column_transformer((SplineTransformer(n_knots=4), list(X.columns)))
model = make_pipeline(splines, PolynomialFeatures(interaction_only=True), Ridge(alpha=0.1))
model.fit(X, mpg)

display = PartialDependenceDisplay.from_estimator(
    model,
    X,
    ["weight", "model_year", ("weight", "model_year")],
    kind=["both", "both", "average"],
    subsample=60,
    random_state=0,
    grid_resolution=40,
)
display.axes_[0, 0].set_ylabel("miles per gallon")
display.figure_.savefig("partial_dependence.svg")
