#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "boost/bins/column_reader.hpp"
#include "boost/bins/column_sample.hpp"
#include "boost/bins/quantiser.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kMaxChunks = 16;  // of rows, each of which counts the entries of all columns
constexpr std::int64_t kChunkRows = 8192;
constexpr std::int64_t kBatch = 32;  // columns of a task

// The stored values by columns, rows ascending.
template <class T>
class SparseReader final : public ColumnReader {
 public:
  template <class Index>
  SparseReader(const CsrView<T, Index>& X, bool absent_is_missing, const Context& ctx)
      : n_rows_(X.n_rows()), absent_is_missing_(absent_is_missing), first_(at(X.n_cols) + 1) {
    const Chunks chunks =
        Chunks::of_rows(n_rows_, std::max(kChunkRows, (n_rows_ + kMaxChunks - 1) / kMaxChunks));
    std::vector<std::vector<std::int64_t>> places(at(chunks.count()));
    const double cost = 2.0 * static_cast<double>(X.n_stored());
    parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
      auto& counts = places[at(chunk)];
      counts.resize(at(X.n_cols));
      for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i)
        for (const Index j : X.row(i).cols) ++counts[at(j)];
    });
    std::int64_t place = 0;
    for (std::int64_t j = 0; j < X.n_cols; ++j) {
      first_[at(j)] = place;
      for (auto& counts : places) place += std::exchange(counts[at(j)], place);
    }
    first_.back() = place;
    rows_ = Buffer<std::uint32_t>(place);
    values_ = Buffer<T>(place);
    parallel_for(ctx, chunks.count(), 2.0 * cost, [&](std::int64_t chunk) {
      auto& next = places[at(chunk)];
      for (std::int64_t i = chunks.begin(chunk); i < chunks.end(chunk); ++i) {
        const auto row = X.row(i);
        for (std::size_t k = 0; k < row.cols.size(); ++k) {
          const std::int64_t to = next[at(row.cols[k])]++;
          rows_[to] = static_cast<std::uint32_t>(i);
          values_[to] = row.values[k];
        }
      }
    });
  }

  std::vector<std::int32_t> choose_bins(const BinPlan& plan, std::span<Feature> features,
                                        const Context& ctx) const override {
    const std::vector<std::uint32_t> sampled = sample_rows(n_rows_, plan.weight);
    double total = 0.0;
    std::vector<double> weight;  // 0: not in the sample
    if (static_cast<std::int64_t>(sampled.size()) < n_rows_ || !plan.weight.empty())
      weight.resize(at(n_rows_));
    for (const std::uint32_t row : sampled) {
      const double own = plan.weight.empty() ? 1.0 : plan.weight[row];
      if (!weight.empty()) weight[row] = own;
      total += own;
    }
    std::vector<std::int32_t> usual(features.size());
    for_columns(ctx, 40.0, [&](std::int64_t j) {
      Feature& feature = features[at(j)];
      feature.n_levels = plan.n_levels.empty() ? 0 : plan.n_levels[at(j)];
      std::vector<T> values;
      std::vector<double> own;
      ColumnSample<T> sample{this->values(j), {}};
      if (!weight.empty()) {
        for (std::int64_t k = first_[at(j)]; k < first_[at(j) + 1]; ++k)
          if (weight[rows_[k]] > 0.0) {
            values.push_back(values_[k]);
            own.push_back(weight[rows_[k]]);
          }
        sample.values = values;
        sample.weight = own;
      }
      sample.has_zeros = !absent_is_missing_ && sample.values.size() < sampled.size();
      sample.zero_weight = total;
      for (std::size_t i = 0; i < sample.values.size(); ++i)
        sample.zero_weight -= sample.weight_of(i);
      if (!sample.has_zeros) sample.zero_weight = 0.0;
      choose_column_bins(sample, plan.most_bins(j), feature, ctx);
      const bool is_sparse = 2 * (first_[at(j) + 1] - first_[at(j)]) <= n_rows_;
      usual[at(j)] = is_sparse ? absent_bin(feature, Quantiser<T>(feature)) : -1;
    });
    return usual;
  }

  std::vector<BinnedColumn> read_bins(std::span<const Feature> features,
                                      std::span<const std::int32_t> usual,
                                      std::span<const std::uint8_t> wanted,
                                      const Context& ctx) const override {
    std::vector<BinnedColumn> columns(features.size());
    for_columns(ctx, 4.0, [&](std::int64_t j) {
      if (wanted[at(j)] != 0) columns[at(j)] = read(features[at(j)], usual[at(j)], j);
    });
    return columns;
  }

 private:
  template <class Function>
  void for_columns(const Context& ctx, double cost, const Function& fn) const {
    const Chunks batches = Chunks::of_rows(static_cast<std::int64_t>(first_.size()) - 1, kBatch);
    parallel_for(ctx, batches.count(), cost * static_cast<double>(values_.size()),
                 [&](std::int64_t batch) {
                   for (std::int64_t j = batches.begin(batch); j < batches.end(batch); ++j) fn(j);
                 });
  }

  std::span<const T> values(std::int64_t column) const {
    const std::int64_t begin = first_[at(column)];
    return {values_.data() + begin, at(first_[at(column) + 1] - begin)};
  }

  // The bin of what is not stored.
  std::int32_t absent_bin(const Feature& feature, const Quantiser<T>& quantiser) const {
    if (absent_is_missing_) return feature.n_bins;
    const T zero{0};
    std::uint8_t bin = 0;
    quantiser.write(&zero, 1, &bin);
    return bin;
  }

  BinnedColumn read(const Feature& feature, std::int32_t usual, std::int64_t j) const {
    const Quantiser<T> quantiser(feature);
    const std::span<const T> stored = values(j);
    std::vector<std::uint8_t> bins(stored.size());
    BinnedColumn column;
    column.has_missing =
        quantiser.write(stored.data(), static_cast<std::int64_t>(stored.size()), bins.data());
    column.usual = absent_bin(feature, quantiser);
    column.has_missing |= absent_is_missing_ && static_cast<std::int64_t>(stored.size()) < n_rows_;
    const std::uint32_t* rows = rows_.data() + first_[at(j)];
    const auto n_away = stored.size() - at(std::count(bins.begin(), bins.end(), column.usual));
    column.rows.reserve(n_away);
    column.away.reserve(n_away);
    for (std::size_t i = 0; i < bins.size(); ++i)
      if (bins[i] != column.usual) {
        column.rows.push_back(rows[i]);
        column.away.push_back(bins[i]);
      }
    return usual == column.usual ? std::move(column) : relist(std::move(column), usual);
  }

  // The same bins seen from another usual bin.
  BinnedColumn relist(BinnedColumn&& column, std::int32_t usual) const {
    BinnedColumn out;
    out.usual = usual;
    out.has_missing = column.has_missing;
    Buffer<std::uint8_t> bins = expand(std::move(column), n_rows_);
    if (usual < 0) {
      out.bins = std::move(bins);
      return out;
    }
    for (std::int64_t i = 0; i < n_rows_; ++i)
      if (bins[i] != usual) {
        out.rows.push_back(static_cast<std::uint32_t>(i));
        out.away.push_back(bins[i]);
      }
    return out;
  }

  std::int64_t n_rows_;
  bool absent_is_missing_;
  std::vector<std::int64_t> first_;  // entry of each column
  Buffer<std::uint32_t> rows_;
  Buffer<T> values_;
};

}  // namespace

std::unique_ptr<ColumnReader> sparse_reader(const CsrView<float, std::int32_t>& X,
                                            bool absent_is_missing, const Context& ctx) {
  return std::make_unique<SparseReader<float>>(X, absent_is_missing, ctx);
}
std::unique_ptr<ColumnReader> sparse_reader(const CsrView<float, std::int64_t>& X,
                                            bool absent_is_missing, const Context& ctx) {
  return std::make_unique<SparseReader<float>>(X, absent_is_missing, ctx);
}
std::unique_ptr<ColumnReader> sparse_reader(const CsrView<double, std::int32_t>& X,
                                            bool absent_is_missing, const Context& ctx) {
  return std::make_unique<SparseReader<double>>(X, absent_is_missing, ctx);
}
std::unique_ptr<ColumnReader> sparse_reader(const CsrView<double, std::int64_t>& X,
                                            bool absent_is_missing, const Context& ctx) {
  return std::make_unique<SparseReader<double>>(X, absent_is_missing, ctx);
}

}  // namespace gramian::boost
