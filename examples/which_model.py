"""Which model to begin with: a few questions, and the names that answer them."""

import matplotlib.pyplot as plt

QUESTIONS = {  # place of the middle, text
    "start": (5.0, 9.4, "Is there a column\nto predict?"),
    "read": (2.9, 7.9, "Must a person be able\nto read the model?"),
    "few": (2.9, 6.2, "Fewer than some\n1,000 rows?"),
    "wide": (4.3, 4.5, "More columns than rows,\nor text as words?"),
    "none": (8.2, 7.9, "What is asked for?"),
}
ANSWERS = {
    "formula": (
        0.75,
        6.2,
        "LinearRegression,\nLogisticRegression,\nPoissonRegressor;\nDecisionTree...",
    ),
    "small": (0.9, 4.5, "RidgeCV, SVR, SVC,\nRandomForest...,\nGaussianNB"),
    "sparse": (2.9, 2.6, "LassoCV, RidgeCV,\nLinearSVC,\nMultinomialNB"),
    "large": (5.6, 2.6, "HistGradientBoosting...,\nRandomForest...,\nBlend... for the last bit"),
    "groups": (6.7, 5.8, "groups: KMeans,\nHDBSCAN"),
    "map": (8.2, 4.3, "a picture, or fewer\ncolumns: PCA, TSNE"),
    "odd": (9.6, 5.9, "outliers:\nIsolation-\nForest"),
}
ARROWS = [
    ("start", "read", "yes"),
    ("start", "none", "no"),
    ("read", "formula", "yes"),
    ("read", "few", "no"),
    ("few", "small", "yes"),
    ("few", "wide", "no"),
    ("wide", "sparse", "yes"),
    ("wide", "large", "no"),
    ("none", "groups", ""),
    ("none", "map", ""),
    ("none", "odd", ""),
]

fig, ax = plt.subplots(figsize=(9.6, 7.0))
boxes = {}
for nodes, colour in ((QUESTIONS, "#dbe7f8"), (ANSWERS, "#e2f2e6")):
    for name, (x, y, text) in nodes.items():
        box = {"boxstyle": "round,pad=0.45", "facecolor": colour, "edgecolor": "#5b6b80"}
        boxes[name] = ax.text(x, y, text, ha="center", va="center", fontsize=10, bbox=box)
fig.canvas.draw()
for start, end, word in ARROWS:
    patches = [boxes[name].get_bbox_patch() for name in (start, end)]
    places = [(QUESTIONS | ANSWERS)[name][:2] for name in (start, end)]
    ax.annotate(
        "",
        xytext=places[0],
        xy=places[1],
        arrowprops={
            "arrowstyle": "-|>",
            "color": "#5b6b80",
            "patchA": patches[0],
            "patchB": patches[1],
            "shrinkA": 1,
            "shrinkB": 1,
        },
    )
    middle = [(a + b) / 2 for a, b in zip(*places, strict=True)]
    ax.text(
        *middle,
        word,
        ha="center",
        va="center",
        fontsize=9,
        color="#333",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )
ax.text(
    5.0,
    1.2,
    "In doubt, let the rows decide:  gramian compare TABLE --target COLUMN",
    ha="center",
    fontsize=11,
    family="monospace",
)
ax.set(xlim=(-1.0, 10.5), ylim=(0.9, 10.1))
ax.axis("off")
fig.savefig("which_model.svg", bbox_inches="tight")
