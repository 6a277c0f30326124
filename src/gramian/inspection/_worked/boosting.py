"""The worked calculation of boosting by second derivatives: gains, leaves and sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._typing import Floats
from gramian.boosting import BoostingClassifier, BoostingRegressor
from gramian.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from gramian.inspection._diagnosis.findings import counted
from gramian.inspection._worked.boosting_mean import mean_steps
from gramian.inspection._worked.derivatives import derivatives_of
from gramian.inspection._worked.descent import comparison
from gramian.inspection._worked.newton_sums import NodeSums
from gramian.inspection._worked.queries import read_rows
from gramian.inspection._worked.steps import Step, StepTable, Worked, escape_text
from gramian.inspection._worked.tree_case import condition_of, names_and_levels
from gramian.inspection._worked.worked import register_worked
from gramian.validation import check_is_fitted

_MAX_ROUNDS = 2  # rounds that are shown row by row
_MAX_DRAWN = 20  # rows drawn by chance that are shown in any case
_SCORE = r"\frac{G^2}{H + \lambda}"
_GAIN = (
    r"\operatorname{Gain} = \frac{1}{2} (\frac{G_L^2}{H_L + \lambda} + "
    r"\frac{G_R^2}{H_R + \lambda} - \frac{G^2}{H + \lambda}) - \gamma"
)


@register_worked(
    BoostingClassifier,
    BoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
def work_boosting(model: Any, X: Any, y: Any, query: Any) -> Worked:
    """Work out the derivatives, the rows that are drawn, the gains, the leaves and the sums."""
    check_is_fitted(model)
    case = _checked_case(model, X, y)
    n_members = case.model.n_members
    if n_members > 1:
        steps = mean_steps(model, X, case, query, _rounds)
        title = f"The mean of {n_members} models of {counted(case.model.n_rounds, 'round')}"
        return Worked(title, steps)
    steps, scores, gap = _rounds(model, case)
    if query is not None:
        steps += _query_steps(model, case, query)
    steps.append(_comparison(model, X, case, scores, gap))
    return Worked(f"Boosting with {counted(case.model.n_rounds, 'round')}", steps)


def _rounds(model: Any, case: Any) -> tuple[list[Step], Floats, float]:
    """Return the steps of the first rounds, the scores after all, and how far gains differ."""
    names, levels = names_and_levels(model)
    scores = np.full(len(case.y), case.model.baseline[0])
    steps, gaps = [_start_step(model, float(scores[0]))], [0.0]
    for number in range(case.model.n_rounds):
        if number < _MAX_ROUNDS:
            round_ = _Round.of(model, case, number, scores, names, levels)
            steps += round_.steps(model)
            gaps.append(round_.gap)
        scores = scores + case.answers(number, case.X)
    return steps, scores, max(gaps)


def _checked_case(model: Any, X: Any, y: Any) -> Any:
    """Return the fit to be worked out; raise ValueError where there is more than one score."""
    if len(model._model.baseline) > 1:
        raise ValueError(
            "worked shows boosting of two classes, or of one number; this model has "
            f"{len(model._model.baseline)} scores for each row."
        )
    if getattr(model, "drop_rate", 0.0) > 0.0:
        raise ValueError("worked cannot follow DART, whose later rounds change earlier trees.")
    if getattr(model, "boosting_type", "plain") == "ordered":
        raise ValueError(
            "worked cannot follow boosting_type='ordered', whose gradients come from models of the "
            "first rows of random orders."
        )
    return model._replay(X, y)


@dataclass(frozen=True)
class _Round:
    """One round: the derivatives of the rows, and the tree that is grown for them."""

    case: Any
    number: int
    scores: Floats
    first: Floats
    second: Floats
    drawn: NDArray[np.intp]
    factors: Floats
    tree: Any
    gains: Floats
    passes: Any
    sums: NodeSums
    leaf_sums: NodeSums
    names: list[str]
    levels: list[Any]

    @classmethod
    def of(
        cls, model: Any, case: Any, number: int, scores: Floats, names: list[str], levels: list[Any]
    ) -> _Round:
        """Differentiate the loss, draw the rows, and sum over the nodes that they pass."""
        by = derivatives_of(model, case.objective.name)
        first, second = by(case.y, scores, case.objective.parameter)
        drawn, factors = case.drawn(number, scores)
        tree, gains = case.model.tree(number)
        passes = tree.decision_path(case.X[drawn]).tocsc()
        weighty = factors if case.splits_by_gradient else factors * second[drawn]
        sums = leaf_sums = NodeSums.of(passes, factors * first[drawn], weighty, case.plan)
        if case.splits_by_gradient:
            by_row = np.ones(len(first)) if case.weight is None else case.weight
            everywhere = tree.decision_path(case.X).tocsc()
            leaf_sums = NodeSums.of(everywhere, by_row * first, by_row * second, case.plan)
        return cls(
            case,
            number,
            scores,
            first,
            second,
            drawn,
            factors,
            tree,
            gains,
            passes,
            sums,
            leaf_sums,
            names,
            levels,
        )

    @property
    def t(self) -> int:
        """Number of the round, from 1."""
        return self.number + 1

    @property
    def is_sampled(self) -> bool:
        """Whether the tree has seen only some of the rows."""
        return self.case.sampling is not None

    @property
    def splits(self) -> NDArray[np.intp]:
        """The nodes that are split."""
        return np.flatnonzero(self.tree.feature >= 0)

    @property
    def own_gains(self) -> Floats:
        """The gains of the splits, without the factor one half and without gamma."""
        left, right = self.tree.children_left[self.splits], self.tree.children_right[self.splits]
        return self.sums.gains(self.splits, left, right, self.extra)

    @property
    def extra(self) -> Floats:
        """What each split adds to lambda, since it cuts an order that the gradients have made."""
        plan, found = self.case.plan, np.zeros(len(self.splits))
        if plan.growth == "symmetric" or plan.level_l2 == 0.0:
            return found
        for place, node in enumerate(self.splits.tolist()):
            if self.tree.is_categorical[node]:
                inside = self.drawn[self.passes[:, [node]].nonzero()[0]]
                column = self.case.X[inside][:, [int(self.tree.feature[node])]]
                values = column.toarray() if hasattr(column, "toarray") else column
                n_levels = len(np.unique(values))
                found[place] = plan.level_l2 if n_levels > plan.one_hot_levels else 0.0
        return found

    @property
    def gap(self) -> float:
        """Largest difference to the gains of the model, relative to the largest of them."""
        if not len(self.splits):
            return 0.0
        found, fitted = self.own_gains, self.gains[self.splits]
        return float(np.abs(found - fitted).max() / max(float(np.abs(fitted).max()), 1e-300))

    def condition(self, node: int) -> str:
        """Return what sends a row to the left."""
        return escape_text(condition_of(self.tree, node, self.names, self.levels))

    def steps(self, model: Any) -> Iterator[Step]:
        """Yield the steps of the round."""
        yield self._rows_step(model)
        if self.is_sampled:
            yield self._sample_step(model)
        if len(self.splits):
            yield self._root_step()
            yield self._splits_step()
        yield self._leaves_step()

    def _rows_step(self, model: Any) -> Step:
        """Return the table of the rows: target, score, derivatives, answer, new score."""
        answer = self.case.answers(self.number, self.case.X)
        columns = (self.case.y, self.scores, self.first, self.second, answer, self.scores + answer)
        table = [
            [int(row), *map(float, cells)]
            for row, *cells in zip(self.case.rows, *columns, strict=True)
        ]
        before, after = rf"F_{{{self.t - 1}}}(x_i)", rf"F_{{{self.t}}}(x_i)"
        headers = ["row", "$y_i$", f"${before}$", "$g_i$", "$h_i$", r"$\eta w(x_i)$", f"${after}$"]
        by = derivatives_of(model, self.case.objective.name).formula
        text = (
            "The derivatives of the loss at the scores so far say in which direction a score "
            "should move, and how far. The tree's answers are multiplied by $\\eta$ = "
            f"{self.case.learning_rate:g}."
        )
        if model._estimator_type == "classifier":
            text += f" $y$ is 1 for rows of {escape_text(str(model.classes_[-1]))}, else 0."
        weight = self.case.weight
        if weight is not None and not (weight == weight[0]).all():
            text += " The rows have the weights of their classes."
        formula = rf"{by}, {after} = {before} + \eta w(x_i)"
        return Step(f"Round {self.t}", formula, text, {}, StepTable(headers, table))

    def _sample_step(self, model: Any) -> Step:
        """Return which rows the tree has seen, and with which weight."""
        size, head = np.abs(self.first), "$|g_i|$"
        if not self.case.objective.has_unit_hessian:
            size, head = size * self.second, "$|g_i| h_i$"
        n, m = len(size), len(self.drawn)
        kept, weight = np.full(n, "", dtype=object), np.zeros(n)
        kept[self.drawn], weight[self.drawn] = "drawn", self.factors
        if self.case.weight is not None:
            weight /= self.case.weight
        order, formula, text = np.arange(n), "", f"The tree sees {m} of {n} rows."
        values: dict[str, Any] = {"n": n, "m": m}
        if hasattr(self.case.sampling, "top_rate"):
            order = np.argsort(-size.astype(np.float32), kind="stable")
            n_top = int(np.floor(model.top_rate * n))
            kept[order[:n_top]] = "top"
            formula, text = r"c = \frac{n - n_a}{n_b}", _goss_text(model, head)
            values = {"n_a": n_top, "n_b": m - n_top, "c": (n - n_top) / max(m - n_top, 1)}
        columns = (self.case.rows, self.first, size, kept, weight)
        table = [
            [int(row), float(g), float(s), mark, float(w)]
            for row, g, s, mark, w in zip(*(column[order] for column in columns), strict=True)
        ]
        drawn = np.flatnonzero(kept[order] == "drawn")[:_MAX_DRAWN]
        highlight = frozenset((place, 3) for place in drawn.tolist())
        headers = ["row", "$g_i$", head, "kept", "weight"]
        title = f"The rows of the tree of round {self.t}"
        return Step(title, formula, text, values, StepTable(headers, table, highlight))

    def _root_step(self) -> Step:
        """Return the gain of the first split, as textbooks write it."""
        sums, plan = self.sums, self.case.plan
        left, right = int(self.tree.children_left[0]), int(self.tree.children_right[0])
        table = [
            [
                name,
                int(sums.count[node]),
                float(sums.gradient[node]),
                float(sums.hessian[node]),
                float(sums.weight[node]),
                float(sums.score[node]),
            ]
            for name, node in (("all", 0), ("left", left), ("right", right))
        ]
        twice, gamma = float(self.own_gains[0]), 0.5 * plan.min_gain
        text = (
            f"The first split is {self.condition(0)}. $\\lambda$ = {plan.l2:g}, and $\\gamma$ = "
            f"{gamma:g}. The model keeps the bracket alone, without the factor one half: "
            f"{self.gains[0]:.6g}; gamma={plan.min_gain:g} is compared with that."
        )
        if plan.l1 > 0.0:
            text += f" Sums of gradients are first shrunk towards 0 by reg_alpha={plan.l1:g}."
        if self.case.splits_by_gradient:
            text += " Splits take $h_i$ = 1, so that $H$ is the weight of the rows."
        headers = ["rows", "number", "$G$", "$H$", "$w$", f"${_SCORE}$"]
        values = {
            r"\operatorname{Gain}": 0.5 * twice - gamma,
            r"2 (\operatorname{Gain} + \gamma)": twice,
        }
        title = f"The gain of the first split of round {self.t}"
        formula = rf"w = -\frac{{G}}{{H + \lambda}}, {_GAIN}"
        return Step(title, formula, text, values, StepTable(headers, table))

    def _splits_step(self) -> Step:
        """Return the gains of all splits of the tree."""
        sums, gamma = self.sums, 0.5 * self.case.plan.min_gain
        table = []
        for node, twice in zip(self.splits.tolist(), self.own_gains.tolist(), strict=True):
            sides = (int(self.tree.children_left[node]), int(self.tree.children_right[node]))
            cells = [float(v[side]) for side in sides for v in (sums.gradient, sums.hessian)]
            table.append([node, self.condition(node), *cells, 0.5 * twice - gamma])
        headers = ["node", "condition", "$G_L$", "$H_L$", "$G_R$", "$H_R$", "Gain"]
        text = {
            "leaf": "Of all leaves the one whose best split gains the most is split next.",
            "level": "All nodes of a depth are split before the next depth begins.",
            "symmetric": "All nodes of a depth have one condition, which gains the most in sum.",
        }[self.case.plan.growth]
        if self.extra.any():
            text += (
                " Many levels are cut in the order of their gradients: such a split adds cat_l2 = "
                f"{self.case.plan.level_l2:g} to $\\lambda$ on both sides."
            )
        return Step(f"The splits of round {self.t}", "", text, {}, StepTable(headers, table))

    def _leaves_step(self) -> Step:
        """Return the sums and the weight of each leaf."""
        sums, rate = self.leaf_sums, self.case.learning_rate
        table = [
            [
                leaf,
                int(sums.count[leaf]),
                float(sums.gradient[leaf]),
                float(sums.hessian[leaf]),
                float(sums.weight[leaf]),
                float(rate * sums.weight[leaf]),
                float(self.tree.value[leaf, 0, 0]),
            ]
            for leaf in np.flatnonzero(self.tree.feature < 0).tolist()
        ]
        found, fitted = (np.array([row[k] for row in table]) for k in (5, 6))
        text = "The model has the same leaves."
        if self.case.objective.renewal_of(0) is not None:
            text = (
                "For this loss the splits are found by gradients, but each leaf is then set to a "
                "quantile of what its rows have left, times $\\eta$."
            )
        elif self.case.model.linear is not None:
            text = "The leaves of the model are linear functions; these are the numbers without."
        elif not np.allclose(found, fitted, rtol=1e-4, atol=1e-6 * max(np.abs(fitted).max(), 1.0)):
            text = "The model has other leaves: constraints bound them, or it saw other rows."
        if self.case.splits_by_gradient:
            text += " $G$ and $H$ are sums over all rows, drawn or not."
        headers = ["leaf", "rows", "$G$", "$H$", "$w$", r"$\eta w$", "model"]
        title, formula = f"The leaves of round {self.t}", r"w = -\frac{G}{H + \lambda}"
        return Step(title, formula, text, {}, StepTable(headers, table))


def _goss_text(model: Any, size: str) -> str:
    return (
        f"GOSS keeps the $n_a$ rows of the largest {size} ({model.top_rate:g} of all), draws $n_b$ "
        f"of the others ({model.other_rate:g} of all), and multiplies these by c, so that they "
        "stand for all that were not kept."
    )


def _start_step(model: Any, start: float) -> Step:
    text = "All rows start with the number of the least loss."
    if model._estimator_type == "classifier":
        text = "All rows start with the log-odds of the second class."
    if getattr(model, "base_score", None) is not None:
        text = "All rows start with base_score."
    elif callable(model.loss):
        text = "Nothing is known of the loss but its derivatives: all rows start with 0."
    return Step("The start", r"F_0 = \arg\min_c \sum_i L(y_i, c)", text, {"F_0": start})


def _query_steps(model: Any, case: Any, query: Any) -> Iterator[Step]:
    """Yield the sum of the trees' answers for each query."""
    rows = read_rows(model._tree_rows, query)
    leaves = case.model.apply(rows)
    answers = [case.answers(t, rows) for t in range(case.model.n_rounds)]
    for position in range(leaves.shape[0]):
        total, table = float(case.model.baseline[0]), []
        for number, leaf in enumerate(leaves[position].tolist()):
            value = float(answers[number][position])
            total += value
            table.append([number + 1, leaf, value, total])
        text, values = "The leaves in which the row ends add up to its score.", {"F(x)": total}
        if model._estimator_type == "classifier":
            p = 1.0 / (1.0 + np.exp(-total))
            text += f" It is the log-odds of {escape_text(str(model.classes_[-1]))}."
            values["p"] = p
        headers = ["$t$", "leaf", r"$\eta w_t(x)$", "$F_t(x)$"]
        formula = r"F(x) = F_0 + \eta \sum_t w_t(x)"
        yield Step("The prediction", formula, text, values, StepTable(headers, table))


def _comparison(model: Any, X: Any, case: Any, scores: Floats, gap: float) -> Step:
    fitted = model._raw_scores(X)[case.rows, 0]
    difference = float(np.abs(fitted - scores).max())
    agrees = difference <= 1e-9 * max(float(np.abs(fitted).max()), 1.0)
    trees = counted(case.model.n_rounds, "tree")
    text = f"The sum of the start and {trees} is what the model predicts."
    if not agrees:
        text = "The model predicts something else."
    if gap <= 1e-4:
        text += " The gains are those of the model."
    else:
        text += (
            " The gains differ from the model's by the share $\\delta$ of the largest: it was "
            "fitted with weights or to other rows, or constraints change what a split gains."
        )
    values = {
        r"\max_i |F(x_i) - \hat{F}(x_i)|": difference,
        r"\delta_{\operatorname{Gain}}": gap,
    }
    return comparison(model, text, values)
