#include "tree/search/presorted_columns.hpp"

#include <memory>
#include <numeric>
#include <utility>

#include "parallel/parallel_for.hpp"

namespace gramian::tree {

PresortedColumns::PresortedColumns(const Columns& columns, const Target& target, Sample& sample,
                                   const Options& options, std::uint64_t seed, const Context& ctx)
    : SearchBase(columns, target, sample, options, seed),
      is_right_(static_cast<std::size_t>(columns.n_rows())),
      is_whole_(n_rows() == columns.n_rows()),
      records_(static_cast<std::size_t>(columns.n_features())) {
  if (is_whole_) return;
  std::vector<std::uint8_t> is_taken(is_right_.size(), 0);
  for (const std::uint32_t row : rows_) is_taken[row] = 1;
  const double cost = 2.0 * static_cast<double>(columns.n_rows() * columns.n_features());
  parallel_for(ctx, columns.n_features(), cost, [&](std::int64_t f) {
    Buffer<Record> kept(n_rows() + 1);  // all are written, so that there is no branch
    std::int64_t n_kept = 0;
    for (const Record record : columns.sorted(f)) {
      kept[n_kept] = record;
      n_kept += is_taken[record.row];
    }
    records_[static_cast<std::size_t>(f)] = std::move(kept);
  });
}

void PresortedColumns::drop_constant(Node& node) const {
  std::vector<std::uint32_t> kept;
  const auto keep = [&](std::uint32_t f) {
    if (!is_constant(node, f)) kept.push_back(f);
  };
  if (node.varying == nullptr) {
    for (std::uint32_t f = 0; f < n_features(); ++f) keep(f);
  } else {
    for (const std::uint32_t f : *node.varying) keep(f);
    if (kept.size() == node.varying->size()) return;
  }
  node.varying = std::make_shared<const std::vector<std::uint32_t>>(std::move(kept));
}

void PresortedColumns::part(const Node& node, const Split& split, PartScratch& scratch,
                            const Context& ctx) {
  const std::span<const Record> winner = records_of(node, split.feature);
  const std::uint32_t missing = columns_[split.feature].missing_code;
  for (const Record& record : winner)
    is_right_[record.row] = !split.code_goes_left(record.code, missing);
  part_stably(rows_of(node), [&](std::uint32_t row) { return is_right_[row]; }, scratch.rows);
  if (ends_growth(node, split)) return;
  std::vector<std::uint32_t> all;
  if (node.varying == nullptr) {
    all.resize(static_cast<std::size_t>(n_features()));
    std::iota(all.begin(), all.end(), 0u);
  }
  const auto& features = node.varying == nullptr ? all : *node.varying;
  const auto n = static_cast<std::int64_t>(features.size());
  const double cost_ns = 1.5 * static_cast<double>(node.size() * n);
  if (useful_threads(ctx, n, cost_ns) <= 1) {
    for (const std::uint32_t f : features) part_records(node, split, f, scratch.records);
    return;
  }
  parallel_for(ctx, n, cost_ns, [&](std::int64_t k) {
    std::vector<Record> moved;
    part_records(node, split, features[static_cast<std::size_t>(k)], moved);
  });
}

void PresortedColumns::part_records(const Node& node, const Split& split, std::int64_t feature,
                                    std::vector<Record>& moved) {
  if (is_shared(node)) return part_shared(feature, split.n_left);
  const std::span<Record> records(records_[static_cast<std::size_t>(feature)].data() + node.begin,
                                  static_cast<std::size_t>(node.size()));
  part_stably(records, [&](const Record& record) { return is_right_[record.row]; }, moved);
}

void PresortedColumns::part_shared(std::int64_t feature, std::int64_t n_left) {
  Buffer<Record> parted(n_rows());
  std::int64_t left = 0, right = n_left;
  for (const Record record : columns_.sorted(feature)) {
    const bool is_right = is_right_[record.row] != 0;
    parted[is_right ? right : left] = record;
    left += !is_right;
    right += is_right;
  }
  records_[static_cast<std::size_t>(feature)] = std::move(parted);
}

}  // namespace gramian::tree
