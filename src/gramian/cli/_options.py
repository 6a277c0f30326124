"""Arguments and options that several commands share."""

from typing import Annotated

import typer

from gramian.cli._completion import (
    complete_column,
    complete_metric,
    complete_table,
    complete_task,
)

TableArgument = Annotated[
    str,
    typer.Argument(
        help="A .csv, .tsv or .parquet file, or a built-in table's name.",
        autocompletion=complete_table,
    ),
]
TargetOption = Annotated[
    str | None, typer.Option(help="The column to predict.", autocompletion=complete_column)
]
TaskOption = Annotated[
    str | None,
    typer.Option(
        help="regression or classification; found out if not given.", autocompletion=complete_task
    ),
]
DropOption = Annotated[
    list[str] | None,
    typer.Option(
        help="A column to leave out; may be given several times.", autocompletion=complete_column
    ),
]
WeightOption = Annotated[
    str | None,
    typer.Option(help="A column of weights of the rows.", autocompletion=complete_column),
]
PositiveOption = Annotated[
    str | None, typer.Option(help="The class to look for, of two; the rarer one if not given.")
]
MetricOption = Annotated[
    str | None,
    typer.Option(
        help="Rank by r2, rmse, mae, pinball or poisson; for classes by accuracy, auc, "
        "log_loss, balanced_accuracy, f1, pr_auc or brier.",
        autocompletion=complete_metric,
    ),
]
QuantileOption = Annotated[float, typer.Option(help="The quantile for --metric pinball.")]
ThreadsOption = Annotated[
    int | None, typer.Option(help="The most threads; results do not depend on it.")
]
