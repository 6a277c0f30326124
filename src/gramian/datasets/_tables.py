"""The tables that come with the package, by name."""

from gramian.datasets._builtin import BuiltinTable

DIABETES = BuiltinTable(
    name="diabetes",
    target="target",
    text=(),
    categorical=(),
    summary="disease progression of 442 patients, 10 numeric columns",
    descr="""Diabetes progression
--------------------

442 patients with diabetes: ten measurements at the start, and a quantitative measure of the
disease's progression one year later.

========  ==================================================
age       age in years
sex       1 or 2
bmi       body mass index
bp        average blood pressure
s1        total serum cholesterol
s2        low-density lipoproteins
s3        high-density lipoproteins
s4        total cholesterol / high-density lipoproteins
s5        possibly the logarithm of serum triglycerides
s6        blood sugar
target    progression after one year, from 25 to 346
========  ==================================================

With ``scaled=True`` every column but the target has mean 0 and sum of squares 1.

Source: Bradley Efron, Trevor Hastie, Iain Johnstone and Robert Tibshirani (2004), "Least Angle
Regression", Annals of Statistics 32, 407-499; the table as published at
https://www4.stat.ncsu.edu/~boos/var.select/diabetes.html and as distributed with scikit-learn.
""",
)

AUTO_MPG = BuiltinTable(
    name="auto_mpg",
    target="mpg",
    text=("origin", "name"),
    categorical=("origin",),
    summary="fuel use of 398 cars: numbers, a category, text, missing values",
    descr="""Auto MPG
--------

398 cars of the model years 1970 to 1982 and the miles they drive on a gallon of fuel in the city.
Six values of `horsepower` are missing.

============  =============================================
mpg           miles per gallon, the target
cylinders     number of cylinders, 3 to 8
displacement  cubic inches
horsepower    horsepower; 6 missing
weight        pounds
acceleration  seconds from 0 to 60 miles per hour
model_year    model year minus 1900
origin        usa, europe or japan
name          maker and model, 305 different texts
============  =============================================

Source: R. Quinlan (1993), Auto MPG, UCI Machine Learning Repository,
https://doi.org/10.24432/C5859H, licensed under CC BY 4.0; first used in the 1983 exposition of
the American Statistical Association, from the StatLib library of Carnegie Mellon University. The
origin codes are written out as in the copy at https://github.com/mwaskom/seaborn-data.
""",
)

IRIS = BuiltinTable(
    name="iris",
    target="target",
    text=("target",),
    categorical=("target",),
    classes=("setosa", "versicolor", "virginica"),
    summary="species of 150 irises, 4 numeric columns",
    descr="""Iris
----

150 irises, 50 of each of three species, measured in centimetres. Iris setosa can be told from the
others by a straight line; the two others overlap.

=================  ===========================
sepal length (cm)  4.3 to 7.9
sepal width (cm)   2.0 to 4.4
petal length (cm)  1.0 to 6.9
petal width (cm)   0.1 to 2.5
target             setosa, versicolor, virginica
=================  ===========================

Source: R. A. Fisher (1936), "The use of multiple measurements in taxonomic problems", Annals of
Eugenics 7, 179-188, from measurements by Edgar Anderson. The values are those of the paper, as
distributed with scikit-learn and R; the copy at UCI (https://doi.org/10.24432/C56C76, CC BY 4.0)
differs from it in two flowers.
""",
)

WINE = BuiltinTable(
    name="wine",
    target="target",
    text=("target",),
    categorical=("target",),
    classes=("class_0", "class_1", "class_2"),
    summary="growers of 178 wines, 13 numeric columns",
    descr="""Wine
----

178 wines from one region of Italy, grown by three growers (59, 71 and 48 wines), and thirteen
chemical measurements of each. The columns' scales differ by four orders of magnitude.

============================  ===================================
alcohol                       11.03 to 14.83
malic_acid                    0.74 to 5.80
ash                           1.36 to 3.23
alcalinity_of_ash             10.6 to 30.0
magnesium                     70 to 162
total_phenols                 0.98 to 3.88
flavanoids                    0.34 to 5.08
nonflavanoid_phenols          0.13 to 0.66
proanthocyanins               0.41 to 3.58
color_intensity               1.28 to 13.0
hue                           0.48 to 1.71
od280/od315_of_diluted_wines  1.27 to 4.00
proline                       278 to 1680
target                        class_0, class_1, class_2: the grower
============================  ===================================

Source: S. Aeberhard and M. Forina (1992), Wine, UCI Machine Learning Repository,
https://doi.org/10.24432/C5PC7J, licensed under CC BY 4.0; values as distributed with scikit-learn.
""",
)

BREAST_CANCER = BuiltinTable(
    name="breast_cancer",
    target="target",
    text=("target",),
    categorical=("target",),
    classes=("malignant", "benign"),
    summary="diagnosis of 569 breast tumours, 30 numeric columns",
    descr="""Breast cancer (Wisconsin, diagnostic)
-------------------------------------

569 samples of breast masses, 212 malignant and 357 benign. Ten properties of the cell nuclei in a
digitised image, each as its mean, its standard error ("error") and the mean of its three largest
values ("worst"): 30 columns.

=================  =================================================
radius             mean distance from the centre to the perimeter
texture            standard deviation of the grey values
perimeter, area    of the nucleus
smoothness         local variation of the radius
compactness        perimeter^2 / area - 1
concavity          how deep the concave parts of the contour are
concave points     how many concave parts there are
symmetry           of the nucleus
fractal dimension  of the contour, "coastline approximation" - 1
target             malignant (0) or benign (1)
=================  =================================================

Source: W. Wolberg, O. Mangasarian, N. Street and W. Street (1993), Breast Cancer Wisconsin
(Diagnostic), UCI Machine Learning Repository, https://doi.org/10.24432/C5DW2B, licensed under
CC BY 4.0; values as distributed with scikit-learn.
""",
)

DIGITS = BuiltinTable(
    name="digits",
    target="target",
    text=("target",),
    categorical=("target",),
    classes=tuple("0123456789"),
    summary="1797 handwritten digits, images of 8 x 8 pixels",
    descr="""Digits
------

1797 handwritten digits of 13 writers. Bitmaps of 32 x 32 pixels were cut into blocks of 4 x 4, and
the inked pixels of each block counted: 64 columns `pixel_row_column` with whole numbers from 0 to
16. The target is the digit, 0 to 9, about 180 times each.

Source: E. Alpaydin and C. Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine
Learning Repository, https://doi.org/10.24432/C50P49, licensed under CC BY 4.0: the test part, as
distributed with scikit-learn.
""",
)

PLAY_TENNIS = BuiltinTable(
    name="play_tennis",
    target="Play",
    text=("Outlook", "Temp", "Humidity", "Windy", "Play"),
    categorical=("Outlook", "Temp", "Humidity", "Windy", "Play"),
    classes=("No", "Yes"),
    summary="the textbook's 14 days of weather, 4 categories",
    descr="""Play tennis
-----------

14 days: the weather, and whether tennis was played (9 times Yes, 5 times No). The small table on
which decision trees (ID3) and naive Bayes are worked out by hand.

========  ======================
Outlook   Sunny, Overcast, Rainy
Temp      Hot, Mild, Cool
Humidity  High, Normal
Windy     True, False
Play      Yes, No: the target
========  ======================

Source: J. R. Quinlan (1986), "Induction of Decision Trees", Machine Learning 1, 81-106; names of
columns and levels as in I. H. Witten and E. Frank, "Data Mining", and in many lecture notes.
""",
)

CALIFORNIA_DESCR = """California housing
------------------

20,640 block groups of the census of 1990 in California, and the median value of their houses.

===========  ==================================================
MedInc       median income, in units of 10,000 dollars
HouseAge     median age of a house
AveRooms     mean number of rooms of a household
AveBedrms    mean number of bedrooms of a household
Population   number of people
AveOccup     mean number of people in a household
Latitude     of the block group
Longitude    of the block group
MedHouseVal  median value of a house, in units of 100,000 dollars; cut off at 5.00001
===========  ==================================================

Source: R. Kelley Pace and Ronald Barry (1997), "Sparse Spatial Autoregressions", Statistics and
Probability Letters 33, 291-297; the file of the StatLib library of Carnegie Mellon University.
"""

COVTYPE_DESCR = """Forest cover type
-----------------

581,012 patches of forest of 30 x 30 metres in the Roosevelt National Forest in Colorado, their
terrain and soil, and the kind of trees that cover them, 1 to 7. The first ten columns are
quantities; 4 columns mark the wilderness area and 40 the type of the soil with 0 and 1.

Source: Jock Blackard (1998), Covertype, UCI Machine Learning Repository,
https://doi.org/10.24432/C50K5N, licensed under CC BY 4.0. Copyright of the database: Jock A.
Blackard and Colorado State University.
"""

BOSTON_DESCR = """Boston housing
--------------

506 districts of Boston in 1970, and the median value of their houses.

=======  ===========================================================
CRIM     crimes per inhabitant
ZN       share of residential land for lots over 25,000 square feet
INDUS    share of land for businesses other than shops
CHAS     1 if the district lies at the river Charles, else 0
NOX      nitric oxides, parts per 10 million
RM       mean number of rooms
AGE      share of houses built before 1940
DIS      weighted distance to five centres of employment
RAD      index of access to motorways
TAX      tax rate, per 10,000 dollars
PTRATIO  pupils per teacher
B        1000 (Bk - 0.63)^2, Bk the share of Black inhabitants
LSTAT    share of the population of lower status, in per cent
MEDV     median value of a house in 1000 dollars, the target
=======  ===========================================================

Column B was built on the assumption that segregation raises prices, and the study's aim of pricing
clean air does not need it. Use the table only to run older programs and lecture notes.

Source: David Harrison and Daniel Rubinfeld (1978), "Hedonic prices and the demand for clean air",
Journal of Environmental Economics and Management 5, 81-102; the file of the StatLib library of
Carnegie Mellon University.
"""

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
