#include "boost/grow/split_finder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/arg_max.hpp"
#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

double shrunk(double gradient, double l1) {
  const double size = std::max(std::abs(gradient) - l1, 0.0);
  return gradient < 0.0 ? -size : size;
}

constexpr std::size_t kFirstRows = 256;

// How often the rows have each code. Several counts side by side: one alone waits for each
// addition.
std::array<double, kMaxCodes> counts_of(const TrackCodes& codes,
                                        std::span<const std::uint32_t> rows,
                                        std::span<const double> row_weight) {
  std::array<double, kMaxCodes> counts{};
  if (!row_weight.empty()) {
    for (const std::uint32_t row : rows) counts[codes[row]] += row_weight[row];
    return counts;
  }
  constexpr std::size_t kCounts = 4;
  std::array<std::array<std::uint32_t, kMaxCodes>, kCounts> own{};
  std::size_t i = 0;
  for (; i + kCounts <= rows.size(); i += kCounts)
    for (std::size_t k = 0; k < kCounts; ++k) ++own[k][codes[rows[i + k]]];
  for (; i < rows.size(); ++i) ++own[0][codes[rows[i]]];
  for (const auto& some : own)
    for (std::size_t code = 0; code < counts.size(); ++code) counts[code] += some[code];
  return counts;
}

}  // namespace

SplitFinder::SplitFinder(const Bins& bins, const TreeOptions& options, const Units& units,
                         std::span<const double> row_weight)
    : bins_(bins), options_(options), units_(units), row_weight_(row_weight) {
  rules_.l2 = options.l2 / units.hessian;
  rules_.l1 = options.l1 / units.gradient;
  // A side of fewer rows than this has too few even if their hessians are the largest.
  const double needed = std::max(options.min_hessian / units.hessian,
                                 static_cast<double>(options.min_rows * units.least_hessian));
  rules_.min_hessian = static_cast<std::int64_t>(std::ceil(std::clamp(needed, 1.0, 0x1p33)));
  gain_unit_ = units.gradient * units.gradient / units.hessian;
  screened_.assign(at(bins.n_features()), -1);
  for (std::int64_t f = 0; f < bins.n_features(); ++f) {
    const Feature& feature = bins[f];
    const bool is_free = options.monotone.empty() || options.monotone[at(f)] == 0;
    if (feature.is_alone() || feature.is_categorical() || feature.n_cells() != 2 || !is_free)
      continue;
    if (feature.is_packed()) {
      screened_[at(f)] = feature.first_cell + 1;
    } else {
      screened_[at(f)] = bins.first_cell(feature.track) + feature.first_code;
      screened_tracks_.push_back(feature.track);
    }
  }
  std::sort(screened_tracks_.begin(), screened_tracks_.end());
  screened_tracks_.erase(std::unique(screened_tracks_.begin(), screened_tracks_.end()),
                         screened_tracks_.end());
}

// The scores of the features of two cells in shared tracks: each has one cut only, and many of them
// are found at once.
std::vector<double> SplitFinder::screen(const NodeView& node) const {
  const std::int64_t n_packed = bins_.n_cells() - bins_.n_track_cells();
  const bool is_free = node.bounds.are_open() && options_.max_step == 0.0;
  if (!is_free || (screened_tracks_.empty() && n_packed == 0)) return {};
  std::vector<double> scores(at(bins_.n_cells()));
  const auto score_range = [&](std::int64_t first, std::int64_t n) {
    GRAMIAN_DISPATCH(score_each, node.cells + first, n, node.total, rules_, scores.data() + first);
  };
  for (const std::int32_t track : screened_tracks_)
    score_range(bins_.first_cell(track), bins_.n_codes(track));
  if (n_packed > 0) score_range(bins_.n_track_cells(), n_packed);
  return scores;
}

CodeSet codes_left(const Feature& feature, const NodeSplit& split) {
  CodeSet codes;
  for (std::int32_t code = 0; code < kMaxCodes; ++code)
    codes[at(code)] = split.bins[at(feature.bin_of(code))] ? 1 : 0;
  return codes;
}

double newton_step(double gradient, double hessian, const TreeOptions& options) {
  const double size = hessian + options.l2;
  const double value = size > 0.0 ? -shrunk(gradient, options.l1) / size : 0.0;
  return options.max_step > 0.0 ? std::clamp(value, -options.max_step, options.max_step) : value;
}

double SplitFinder::leaf_value(double gradient, double hessian, const Bounds& bounds) const {
  return std::clamp(newton_step(gradient, hessian, options_), bounds.lower, bounds.upper);
}

// -2 times the objective of a leaf of this value: T(G)^2 / (H + l2) at the best one.
double SplitFinder::objective(Pair sum, double value, double l2) const {
  const double gradient = static_cast<double>(gradient_of(sum)) * units_.gradient;
  const double hessian = static_cast<double>(hessian_of(sum)) * units_.hessian;
  return -(2.0 * gradient * value + (hessian + l2) * value * value +
           2.0 * options_.l1 * std::abs(value));
}

double SplitFinder::bounded_score(Pair left, Pair right, int sign, const Bounds& bounds,
                                  double l2) const {
  const double left_value = value_of(left, bounds), right_value = value_of(right, bounds);
  if (sign * (right_value - left_value) < 0.0) return -1.0;
  return (objective(left, left_value, l2) + objective(right, right_value, l2)) / gain_unit_;
}

double SplitFinder::unsplit_score(const NodeView& node) const {
  return objective(node.total, value_of(node.total, node.bounds), options_.l2);
}

// A bundled feature's usual bin is what the others leave of the total.
void SplitFinder::read_bundled(const Feature& feature, const Pair* cells, Pair total,
                               Sequence& out) const {
  const std::int32_t n = feature.n_bins;
  out.missing = 0;
  for (std::int32_t bin = 0; bin < feature.n_cells(); ++bin) {
    if (bin == feature.usual_bin) continue;
    const Pair cell = cells[feature.bundle_code(bin)];
    total -= cell;
    (bin < n ? out.cells[at(bin)] : out.missing) = cell;
  }
  (feature.usual_bin < n ? out.cells[at(feature.usual_bin)] : out.missing) = total;
}

// The feature's cells by bin.
void SplitFinder::read(const Feature& feature, const NodeView& node, Sequence& out) const {
  const std::int32_t n = feature.n_bins;
  if (feature.is_bundled()) {
    read_bundled(feature, node.cells + bins_.first_cell(feature.track), node.total, out);
  } else {
    const Pair* cells = node.cells + feature.first_cell;
    std::copy_n(cells, n, out.cells.begin());
    out.missing = feature.has_missing ? cells[n] : 0;
  }
  out.n = n;
  for (std::int32_t bin = 0; bin < n; ++bin) out.bin[at(bin)] = bin;
}

std::int32_t SplitFinder::n_cuts(const Sequence& cells, Way way) {
  if (way == Way::alone) return cells.is_one_hot ? cells.n : 0;
  if (cells.is_one_hot) return 0;
  if (cells.has_rare) {
    if (cells.n < 2) return 0;
    return way == Way::missing_left ? cells.n - 1 : (cells.n + 1) / 2;
  }
  const bool has_missing = hessian_of(cells.missing) > 0;
  if (way == Way::missing_left) return has_missing ? cells.n - 1 : 0;
  return has_missing ? cells.n : cells.n - 1;  // all numbers left, missing values right
}

// Rare levels go with the side of at least half the others.
std::int32_t SplitFinder::first_cut(const Sequence& cells, Way way) {
  return cells.has_rare && way == Way::missing_left ? cells.n / 2 : 0;
}

double SplitFinder::score_way(const NodeView& node, int sign, const Sequence& cells, Way way,
                              double* scores) const {
  const std::int32_t n = n_cuts(cells, way);
  CutRules rules = rules_;
  rules.l2 += cells.extra_l2 / units_.hessian;
  const Pair start = way == Way::missing_left ? cells.missing : 0;
  if (sign == 0 && node.bounds.are_open() && options_.max_step == 0.0) {
    if (way != Way::alone)
      return GRAMIAN_DISPATCH(score_cuts, cells.cells.data(), n, start, node.total, rules, scores);
    return GRAMIAN_DISPATCH(score_each, cells.cells.data(), n, node.total, rules, scores);
  }
  double best = -1.0;
  Pair sum = start;
  for (std::int32_t i = 0; i < n; ++i) {
    sum += cells.cells[at(i)];
    const Pair left = way == Way::alone ? cells.cells[at(i)] : sum;
    const Pair right = node.total - left;
    const bool is_allowed =
        hessian_of(left) >= rules.min_hessian && hessian_of(right) >= rules.min_hessian;
    scores[i] = is_allowed
                    ? bounded_score(left, right, sign, node.bounds, options_.l2 + cells.extra_l2)
                    : -1.0;
    best = std::max(best, scores[i]);
  }
  return best;
}

void SplitFinder::score(const NodeView& node, std::int32_t feature, const Sequence& cells,
                        Scores& out) const {
  const int sign = options_.monotone.empty() ? 0 : options_.monotone[at(feature)];
  out.best = -1.0;
  for (const Way way : kWays) {
    double* scores = out.of[index(way)].data();
    double best = score_way(node, sign, cells, way, scores);
    if (cells.is_ordered && n_cuts(cells, way) > 0) best = leave_allowed(node, cells, way, scores);
    out.best = std::max(out.best, best);
  }
}

SplitFinder::Cut SplitFinder::first_best(const Sequence& cells, const Scores& scores) const {
  for (const Way way : kWays) {
    const auto& of = scores.of[index(way)];
    for (std::int32_t i = 0; i < n_cuts(cells, way); ++i)
      if (of[at(i)] == scores.best) return {scores.best, way, i};
  }
  return {};
}

Pair SplitFinder::left_of(const Sequence& cells, const Cut& cut) const {
  if (cut.way == Way::alone) return cells.cells[at(cut.place)];
  Pair sum = cut.way == Way::missing_left ? cells.missing : 0;
  for (std::int32_t i = 0; i <= cut.place; ++i) sum += cells.cells[at(i)];
  return sum;
}

// Whether both sides have enough rows for certain: as many as if every hessian were the largest.
bool SplitFinder::has_enough_rows(Pair left, Pair total) const {
  if (options_.min_rows <= 1 || units_.counts_rows()) return true;
  const std::int64_t needed = options_.min_rows * units_.largest_hessian;
  return hessian_of(left) >= needed && hessian_of(total - left) >= needed;
}

// Whether the first rows tell already that both sides have enough.
bool SplitFinder::counts_enough_rows(const NodeView& node, const Feature& feature,
                                     const NodeSplit& split) const {
  const CodeSet goes_left = codes_left(feature, split);
  const TrackCodes codes = bins_.track_codes(feature.track);
  const auto needed = static_cast<double>(options_.min_rows);
  std::array<double, 2> n_rows{};
  for (const std::uint32_t row : node.rows.first(std::min(node.rows.size(), kFirstRows))) {
    n_rows[goes_left[codes[row]]] += row_weight_.empty() ? 1.0 : row_weight_[row];
    if (n_rows[0] >= needed && n_rows[1] >= needed) return true;
  }
  return false;
}

// Hessians do not tell the number of rows on a side well enough: they are counted.
SplitFinder::Cut SplitFinder::best_counted(const NodeView& node, const Feature& feature,
                                           const Sequence& cells, const Scores& scores) const {
  const TrackCodes codes = bins_.track_codes(feature.track);
  const std::array<double, kMaxCodes> of_code = counts_of(codes, node.rows, row_weight_);
  const double total = std::accumulate(of_code.begin(), of_code.end(), 0.0);
  std::array<double, kMaxCodes> of_bin{};
  for (std::int32_t code = 0; code < kMaxCodes; ++code)
    of_bin[at(feature.bin_of(code))] += of_code[at(code)];
  const auto needed = static_cast<double>(options_.min_rows);
  double apart = of_bin[at(feature.n_bins)];
  if (cells.has_rare) {
    apart = total;
    for (std::int32_t i = 0; i < cells.n; ++i) apart -= of_bin[at(cells.bin[at(i)])];
  }
  Cut best;
  for (const Way way : kWays) {
    double sum = way == Way::missing_left ? apart : 0.0;
    for (std::int32_t i = 0; i < n_cuts(cells, way); ++i) {
      const double own = of_bin[at(cells.bin[at(i)])];
      sum = way == Way::alone ? own : sum + own;
      const double value = scores.of[index(way)][at(i)];
      if (value > best.score && sum >= needed && total - sum >= needed) best = {value, way, i};
    }
  }
  return best;
}

NodeSplit SplitFinder::make_split(const NodeView& node, std::int32_t feature, const Sequence& cells,
                                  const Cut& cut, double gain) const {
  const Feature& column = bins_[feature];
  NodeSplit split;
  split.gain = gain;
  split.feature = feature;
  split.left = left_of(cells, cut);
  const bool is_left_heavier = hessian_of(split.left) > hessian_of(node.total - split.left);
  if (column.is_categorical()) {
    const bool heavier = cut.way != Way::alone && is_left_heavier;
    const bool rest = is_rest_left(cells, cut, is_left_heavier);
    for (std::int32_t bin = 0; bin <= column.n_bins; ++bin) split.bins[at(bin)] = rest;
    if (!column.has_missing)
      split.bins[at(column.n_bins)] = options_.orders_absent ? rest : heavier;
    for (std::int32_t i = 0; i < cells.n; ++i) {
      const bool is_left = cut.way == Way::alone ? i == cut.place : i <= cut.place;
      split.bins[at(cells.bin[at(i)])] = is_left;
      split.saw_missing |= cells.bin[at(i)] == column.n_bins;
    }
    split.missing_left = split.bins[at(column.n_bins)];
    return split;
  }
  split.last_bin = cut.place;
  split.saw_missing = hessian_of(cells.missing) > 0;
  split.missing_left = split.saw_missing ? cut.way == Way::missing_left : is_left_heavier;
  for (std::int32_t bin = 0; bin <= cut.place; ++bin) split.bins[at(bin)] = true;
  split.bins[at(column.n_bins)] = split.missing_left;
  return split;
}

NodeSplit SplitFinder::find_in(const NodeView& node, std::int32_t feature, double base,
                               double least_gain) const {
  const Feature& column = bins_[feature];
  Sequence cells;
  Scores scores;
  read(column, node, cells);
  if (column.is_categorical()) order_levels(column, node, cells);
  score(node, feature, cells, scores);
  if (scores.best < 0.0 || !(gain_of(scores.best, base) > least_gain)) return {};
  Cut cut = first_best(cells, scores);
  const NodeSplit split = make_split(node, feature, cells, cut, gain_of(cut.score, base));
  if (has_enough_rows(split.left, node.total) || counts_enough_rows(node, column, split))
    return split;
  cut = best_counted(node, column, cells, scores);
  if (cut.score < 0.0 || !(gain_of(cut.score, base) > least_gain)) return {};
  return make_split(node, feature, cells, cut, gain_of(cut.score, base));
}

// No less than the best score of the column's cuts: cuts of too few rows may be in it.
double SplitFinder::bound_of(const NodeView& node, std::int32_t feature) const {
  const Feature& column = bins_[feature];
  Sequence cells;
  Scores scores;
  const bool is_free = options_.monotone.empty() || options_.monotone[at(feature)] == 0;
  if (column.is_categorical() || column.is_bundled() || !is_free || !node.bounds.are_open() ||
      options_.max_step != 0.0) {
    read(column, node, cells);
    if (column.is_categorical()) order_levels(column, node, cells);
    score(node, feature, cells, scores);
    return scores.best;
  }
  const Pair* own = node.cells + column.first_cell;
  const std::int32_t n = column.n_bins;
  const Pair missing = column.has_missing ? own[n] : 0;
  double* unused = scores.of.front().data();
  const auto best_of = [&](std::int32_t n_cuts, Pair start) {
    if (may_bound(rules_))
      return GRAMIAN_DISPATCH(bound_cuts, own, n_cuts, start, node.total, rules_);
    return GRAMIAN_DISPATCH(score_cuts, own, n_cuts, start, node.total, rules_, unused);
  };
  if (hessian_of(missing) == 0) return best_of(n - 1, 0);
  return std::max(best_of(n, 0), best_of(n - 1, missing));
}

// Rows are counted for columns only that would win by their bounds: most often for one or none.
NodeSplit SplitFinder::find(const NodeView& node, std::span<const std::int32_t> features,
                            const Context& ctx) const {
  // A gain has to be more than rounding.
  const double base = unsplit_score(node);
  const double least = std::max(options_.min_gain, 1e-12 * std::abs(base));
  const auto n = static_cast<std::int64_t>(features.size());
  const double cost = kScanCost * static_cast<double>(bins_.n_cells());
  const std::vector<double> screened = screen(node);
  const Chunks chunks = Chunks::of_rows(n, 16);
  std::vector<double> bounds(at(n));
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
    for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
      const std::int32_t feature = features[at(i)];
      const std::int64_t cell = screened.empty() ? -1 : screened_[at(feature)];
      bounds[at(i)] = cell >= 0 ? screened[at(cell)] : bound_of(node, feature);
    }
  });
  NodeSplit found;
  for (;;) {
    const auto first = arg_max(n, [&](std::int64_t i) { return bounds[at(i)]; });
    if (!first || bounds[at(*first)] < 0.0) break;
    const double gain = gain_of(bounds[at(*first)], base);
    const std::int32_t feature = features[at(*first)];
    if (!(gain > least) || gain < found.gain || (gain == found.gain && feature > found.feature))
      break;
    const NodeSplit split = find_in(node, feature, base, least);
    const bool is_better =
        split.gain > found.gain || (split.gain == found.gain && split.feature < found.feature);
    if (split.is_found() && (!found.is_found() || is_better)) found = split;
    bounds[at(*first)] = -1.0;
  }
  return found;
}

}  // namespace gramian::boost
