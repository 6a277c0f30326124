"""The error of training rows and of new rows after each round of plain and of ordered boosting."""

import matplotlib.pyplot as plt
import numpy as np

from gramian.boosting import BoostingRegressor

rng = np.random.default_rng(0)
X, X_new = rng.normal(size=(300, 5)), rng.normal(size=(5_000, 5))
y, y_new = (np.sin(rows[:, 0]) + rows[:, 1] + rng.normal(size=len(rows)) for rows in (X, X_new))

figure, ax = plt.subplots(figsize=(6.0, 3.2), layout="constrained")
for color, boosting_type in (("C0", "plain"), ("C1", "ordered")):
    model = BoostingRegressor(
        n_estimators=200,
        boosting_type=boosting_type,
        growth="symmetric",
        max_depth=3,
        min_samples_leaf=1,
        random_state=0,
    )
    model.fit(X, y, eval_set=[(X, y), (X_new, y_new)], eval_metric="rmse")
    for name, style, rows in (("validation_0", "--", "training"), ("validation_1", "-", "new")):
        curve = model.evals_result_[name]["rmse"]
        ax.plot(curve, style, color=color, label=f"{boosting_type}, {rows} rows")
ax.axhline(1.0, color="0.7", linewidth=1, label="noise")
ax.set_xlabel("rounds")
ax.set_ylabel("root mean squared error")
ax.legend(fontsize=8)
figure.savefig("ordered_boosting.svg")
