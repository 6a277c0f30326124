"""The tables that come with the package, by name."""

from gramian.datasets._builtin import BuiltinTable, description_of

DIABETES = BuiltinTable(
    name="diabetes",
    target="target",
    text=(),
    categorical=(),
    summary="disease progression of 442 patients, 10 numeric columns",
    descr=description_of("diabetes"),
)

AUTO_MPG = BuiltinTable(
    name="auto_mpg",
    target="mpg",
    text=("origin", "name"),
    categorical=("origin",),
    summary="fuel use of 398 cars: numbers, a category, text, missing values",
    descr=description_of("auto_mpg"),
)

IRIS = BuiltinTable(
    name="iris",
    target="target",
    text=("target",),
    categorical=("target",),
    classes=("setosa", "versicolor", "virginica"),
    summary="species of 150 irises, 4 numeric columns",
    descr=description_of("iris"),
)

WINE = BuiltinTable(
    name="wine",
    target="target",
    text=("target",),
    categorical=("target",),
    classes=("class_0", "class_1", "class_2"),
    summary="growers of 178 wines, 13 numeric columns",
    descr=description_of("wine"),
)

BREAST_CANCER = BuiltinTable(
    name="breast_cancer",
    target="target",
    text=("target",),
    categorical=("target",),
    classes=("malignant", "benign"),
    summary="diagnosis of 569 breast tumours, 30 numeric columns",
    descr=description_of("breast_cancer"),
)

DIGITS = BuiltinTable(
    name="digits",
    target="target",
    text=("target",),
    categorical=("target",),
    classes=tuple("0123456789"),
    summary="1797 handwritten digits, images of 8 x 8 pixels",
    descr=description_of("digits"),
)

PLAY_TENNIS = BuiltinTable(
    name="play_tennis",
    target="Play",
    text=("Outlook", "Temp", "Humidity", "Windy", "Play"),
    categorical=("Outlook", "Temp", "Humidity", "Windy", "Play"),
    classes=("No", "Yes"),
    summary="the textbook's 14 days of weather, 4 categories",
    descr=description_of("play_tennis"),
)

_TABLES = {
    table.name: table
    for table in (
        AUTO_MPG,
        BREAST_CANCER,
        DIABETES,
        DIGITS,
        IRIS,
        PLAY_TENNIS,
        WINE,
    )
}


def table_names() -> list[str]:
    """Return the names of the built-in tables."""
    return list(_TABLES)


def find_table(name: str) -> BuiltinTable | None:
    """Return the built-in table of that name, or None.

    Examples
    --------
    >>> from gramian.datasets import find_table
    >>> find_table("auto_mpg").target
    'mpg'
    """
    return _TABLES.get(name)
