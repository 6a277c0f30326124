#include "boost/bins/bundles.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kMaxChecks = 1 << 15;  // rows that the search of one column looks up
constexpr std::int32_t kMaxSmallCells = 16;   // of a column in a small set

// The columns of a set and the rows in which one of them is away from its usual bin.
class Bundle {
 public:
  Bundle(std::int64_t n_rows, std::int64_t max_conflicts)
      : taken_(at((n_rows + 63) / 64)), conflicts_left_(max_conflicts) {}

  // Adds the column if there is room; takes what it looks up off the number of checks left.
  bool take(const SparseColumn& column, std::int64_t& checks_left) {
    if (n_codes_ + column.n_codes > kMaxCodes) return false;
    std::int64_t conflicts = 0;
    for (std::size_t i = 0; i < column.rows.size(); ++i) {
      const std::uint32_t row = column.rows[i];
      conflicts += static_cast<std::int64_t>(taken_[row / 64] >> (row % 64) & 1);
      if (conflicts <= conflicts_left_) continue;
      checks_left -= static_cast<std::int64_t>(i) + 1;
      return false;
    }
    conflicts_left_ -= conflicts;
    for (const std::uint32_t row : column.rows) taken_[row / 64] |= std::uint64_t{1} << (row % 64);
    n_codes_ += column.n_codes;
    columns_.push_back(column.feature);
    return true;
  }

  bool is_full() const { return n_codes_ >= kMaxCodes; }
  std::vector<std::int32_t>& columns() { return columns_; }

 private:
  std::vector<std::uint64_t> taken_;
  std::int64_t conflicts_left_;
  std::int32_t n_codes_ = 1;  // code 0: all are in their usual bins
  std::vector<std::int32_t> columns_;
};

class Bundler {
 public:
  Bundler(std::int64_t n_rows, std::int64_t max_conflicts)
      : n_rows_(n_rows), max_conflicts_(max_conflicts) {}

  void add(const SparseColumn& column) {
    if (bundle_of_.size() < at(column.feature) + 2) bundle_of_.resize(at(column.feature) + 2, -1);
    bundle_of_[at(column.feature)] = place(column);
  }

  std::vector<std::vector<std::int32_t>> take_sets() {
    std::vector<std::vector<std::int32_t>> sets;
    for (Bundle& bundle : bundles_) {
      std::sort(bundle.columns().begin(), bundle.columns().end());
      sets.push_back(std::move(bundle.columns()));
    }
    std::sort(sets.begin(), sets.end());
    return sets;
  }

 private:
  std::int64_t place(const SparseColumn& column) {
    std::int64_t checks_left = kMaxChecks;
    // Columns that stand for the levels of one variable are neighbours.
    const std::int64_t left = column.feature > 0 ? bundle_of_[at(column.feature - 1)] : -1;
    const std::int64_t right = bundle_of_[at(column.feature + 1)];
    for (const std::int64_t near : {left, right})
      if (near >= 0 && bundles_[at(near)].take(column, checks_left)) return near;
    for (const std::int64_t b : open_) {
      if (checks_left <= 0) break;
      if (b == left || b == right || !bundles_[at(b)].take(column, checks_left)) continue;
      if (bundles_[at(b)].is_full()) std::erase(open_, b);
      return b;
    }
    bundles_.emplace_back(n_rows_, max_conflicts_);
    bundles_.back().take(column, checks_left);
    open_.push_back(static_cast<std::int64_t>(bundles_.size()) - 1);
    return open_.back();
  }

  std::int64_t n_rows_, max_conflicts_;
  std::vector<Bundle> bundles_;
  std::vector<std::int64_t> open_;       // bundles that are not full
  std::vector<std::int64_t> bundle_of_;  // by feature; -1: none yet
};

}  // namespace

std::vector<std::vector<std::int32_t>> exclusive_sets(std::vector<SparseColumn> columns,
                                                      std::int64_t n_rows,
                                                      std::int64_t max_conflicts,
                                                      const Context& ctx) {
  std::stable_sort(
      columns.begin(), columns.end(),
      [](const SparseColumn& a, const SparseColumn& b) { return a.rows.size() > b.rows.size(); });
  Bundler bundler(n_rows, max_conflicts);
  for (const SparseColumn& column : columns) {
    ctx.check();
    bundler.add(column);
  }
  return bundler.take_sets();
}

std::vector<std::vector<std::int32_t>> small_sets(std::span<const std::int32_t> columns,
                                                  std::span<const Feature> features) {
  std::vector<std::int32_t> small;
  for (const std::int32_t f : columns)
    if (features[at(f)].n_cells() <= kMaxSmallCells) small.push_back(f);
  std::stable_sort(small.begin(), small.end(), [&](std::int32_t a, std::int32_t b) {
    return features[at(a)].n_cells() < features[at(b)].n_cells();
  });
  std::vector<std::vector<std::int32_t>> sets;
  std::int32_t n_codes = kMaxCodes;
  for (const std::int32_t f : small) {
    n_codes *= features[at(f)].n_cells();
    if (n_codes > kMaxCodes) {
      sets.emplace_back();
      n_codes = features[at(f)].n_cells();
    }
    sets.back().push_back(f);
  }
  std::erase_if(sets, [](const auto& set) { return set.size() < 2; });
  return sets;
}

}  // namespace gramian::boost
