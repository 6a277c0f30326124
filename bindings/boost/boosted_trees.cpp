// Boosting over trees that share their columns: shapes checked, GIL released.
#include <memory>

#include "bindings/binding.hpp"
#include "bindings/tree/tree_columns.hpp"
#include "ensemble/gradient_booster.hpp"
#include "ensemble/samme.hpp"

namespace gramian {
namespace {

nb::tuple boost_samme(const TreeColumns& columns, const TreeOptions& options,
                      const InVector<std::int32_t>& labels, std::int32_t n_classes,
                      const InVector<double>& weight, double rate,
                      const InVector<std::uint64_t>& seeds, const Context& ctx) {
  const tree::Target target{vec(labels), {}, {&n_classes, 1}, columns.n_rows(), 1};
  require_target(target, columns.n_rows());
  columns.require_for(options.get());
  require_entries(labels.shape(0), "weight must have one entry per row", weight);
  auto boosted = without_gil([&] {
    return ensemble::boost_samme(columns.get(), target, options.get(), vec(weight), rate,
                                 vec(seeds), ctx);
  });
  return nb::make_tuple(arrays_of(std::move(boosted.trees), columns.get()),
                        owned(std::move(boosted.weights)), owned(std::move(boosted.errors)),
                        boosted.has_overflown);
}

// Selection sampling (Knuth, algorithm 3.4.2S): a row is taken if its number is below the share of
// the rows left that are still to be taken.
void select_rows(const InVector<double>& uniforms, std::int64_t n_in,
                 const OutVector<std::uint8_t>& out) {
  const auto drawn = vec(uniforms);
  const auto is_in = vec(out);
  require(is_in.size() == drawn.size(), "out must have one entry per number");
  std::int64_t n_taken = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto n_left = static_cast<double>(drawn.size() - i);
    is_in[i] = drawn[i] * n_left < static_cast<double>(n_in - n_taken);
    n_taken += is_in[i];
  }
}

loss::Kind loss_of(std::string_view name) {
  using loss::Kind;
  return named<Kind>({{"squared_error", Kind::squared},
                      {"absolute_error", Kind::absolute},
                      {"huber", Kind::huber},
                      {"quantile", Kind::pinball},
                      {"log_loss", Kind::logistic},
                      {"multinomial", Kind::softmax},
                      {"exponential", Kind::exponential}},
                     name, "unknown loss");
}

// Rows whose target, weights and scores fit together; scores are by output.
ensemble::ScoredRows scored_rows(const InDense& X, const InVector<double>& y,
                                 const OptionalVector<double>& weight,
                                 const InMatrix<double>& scores, std::int64_t n_outputs) {
  const AnyDense features = X.view();
  const std::int64_t n = n_rows_of(features);
  const auto z = matrix(scores);
  require_entries(n, "y and weight must have one entry per row", y, weight);
  require(z.n_rows == n && z.n_cols == n_outputs, "scores must have one row per row of X");
  ensemble::ScoredRows rows{features, copied(vec(y)), {}, {}};
  rows.weight = copied(or_empty(weight));
  for (std::int64_t k = 0; k < z.n_cols; ++k)
    for (std::int64_t i = 0; i < n; ++i) rows.scores.push_back(z(i, k));
  return rows;
}

void require_classes(std::span<const double> y, loss::Kind kind, std::int64_t n_outputs) {
  if (kind == loss::Kind::softmax)
    require(std::ranges::all_of(
                y, [&](double each) { return each >= 0.0 && each < double(n_outputs); }),
            "y must be numbers of classes");
}

// A booster with the arrays that it points to.
class BoundBooster {
 public:
  BoundBooster(InDense X, nb::object columns, const TreeOptions& options, const InVector<double>& y,
               const OptionalVector<double>& weight, const InMatrix<double>& scores,
               std::string_view loss, double alpha, double rate, bool has_global_step,
               double ccp_alpha)
      : X_(std::move(X)),
        columns_(std::move(columns)),
        kind_(loss_of(loss)),
        n_outputs_(static_cast<std::int64_t>(scores.shape(1))) {
    const auto& shared = nb::cast<const TreeColumns&>(columns_);
    shared.require_for(options.get());
    require(options.get().monotone.empty(), "boosting takes no monotone constraints");
    require(n_outputs_ > 0 && (n_outputs_ == 1 || kind_ == loss::Kind::softmax),
            "this loss has one score");
    require_entries(shared.n_rows(), "y must have one entry per row", y);
    require_classes(vec(y), kind_, n_outputs_);
    booster_ = std::make_unique<ensemble::GradientBooster>(
        shared.get(), scored_rows(X_, y, weight, scores, n_outputs_),
        ensemble::BoostingLoss(kind_, alpha, n_outputs_), options.get(),
        ensemble::BoosterOptions{rate, has_global_step, ccp_alpha});
  }

  void watch(InDense X, const InVector<double>& y, const OptionalVector<double>& weight,
             const InMatrix<double>& scores) {
    watched_ = std::move(X);
    require(n_cols_of(watched_->view()) == booster_->columns().n_features(),
            "X must have the columns of the fit");
    require_classes(vec(y), kind_, n_outputs_);
    booster_->watch(scored_rows(*watched_, y, weight, scores, n_outputs_));
  }

  nb::tuple add_round(const OptionalVector<std::uint8_t>& is_in,
                      const InVector<std::uint64_t>& seeds, const Context& ctx) {
    require_entries(n_outputs_, "one seed for each output", seeds);
    require_entries(booster_->columns().n_rows(), "is_in must have one entry per row", is_in);
    const auto losses =
        without_gil([&] { return booster_->add_round(or_empty(is_in), vec(seeds), ctx); });
    return nb::make_tuple(losses.train, losses.out_before, losses.out, losses.validation);
  }

  nb::dict trees() const {
    tree::GrownTrees copy = booster_->trees();
    return arrays_of(std::move(copy), booster_->columns());
  }
  nb::object steps() const { return owned(copied(booster_->steps())); }
  nb::object scores() const { return owned(copied(booster_->scores())); }

 private:
  InDense X_;
  nb::object columns_;
  loss::Kind kind_;
  std::int64_t n_outputs_;
  std::optional<InDense> watched_;
  std::unique_ptr<ensemble::GradientBooster> booster_;
};

}  // namespace

void bind_boosted_trees(nb::module_& m) {
  m.def("boost_samme", &boost_samme, "columns"_a, "options"_a, nb::kw_only(), "labels"_a,
        "n_classes"_a, "weight"_a, "rate"_a, "seeds"_a, "ctx"_a,
        "AdaBoost of trees: their arrays, weights and errors, and whether the weights of the rows "
        "have overflown.");
  m.def("select_rows", &select_rows, "uniforms"_a, "n_in"_a, nb::kw_only(), "out"_a,
        "Choose n_in rows, each by a number between 0 and 1.");
  nb::class_<BoundBooster>(m, "GradientBooster", "Gradient boosting on columns sorted once.")
      .def(nb::init<InDense, nb::object, const TreeOptions&, const InVector<double>&,
                    const OptionalVector<double>&, const InMatrix<double>&, std::string_view,
                    double, double, bool, double>(),
           "X"_a, "columns"_a, "options"_a, nb::kw_only(), "y"_a, "weight"_a, "scores"_a, "loss"_a,
           "alpha"_a, "rate"_a, "has_global_step"_a, "ccp_alpha"_a)
      .def("watch", &BoundBooster::watch, "X"_a, nb::kw_only(), "y"_a, "weight"_a, "scores"_a,
           "Follow the loss of rows that no tree sees.")
      .def("add_round", &BoundBooster::add_round, nb::kw_only(), "is_in"_a, "seeds"_a, "ctx"_a,
           "Grow a tree for each output; the mean losses of the rows that it has seen, of the "
           "others before and after, and of those that are watched.")
      .def("trees", &BoundBooster::trees, "The arrays of the flat format by name.")
      .def("steps", &BoundBooster::steps, "The step of each tree.")
      .def("scores", &BoundBooster::scores, "Scores of the rows, one output after another.");
}

}  // namespace gramian
