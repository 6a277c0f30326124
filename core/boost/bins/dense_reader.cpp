#include <algorithm>
#include <array>

#include "base/index.hpp"
#include "boost/bins/column_reader.hpp"
#include "boost/bins/column_sample.hpp"
#include "boost/bins/quantiser.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kBatch = 8;          // columns whose samples are read together
constexpr std::int64_t kBlockRows = 256;    // rows whose bins are found together
constexpr std::int64_t kChunkRows = 16384;  // rows whose lists are kept together

// Appends the rows that are away from the usual bin.
void append_away(const std::uint8_t* bins, std::int64_t n, std::int64_t first_row,
                 BinnedColumn& column) {
  std::array<std::uint32_t, kBlockRows> rows;
  std::array<std::uint8_t, kBlockRows> away;
  const auto usual = static_cast<std::uint8_t>(column.usual);
  std::size_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) {  // always written: no branch to mispredict
    rows[count] = static_cast<std::uint32_t>(first_row + i);
    away[count] = bins[i];
    count += bins[i] != usual ? 1 : 0;
  }
  column.rows.insert(column.rows.end(), rows.data(), rows.data() + count);
  column.away.insert(column.away.end(), away.data(), away.data() + count);
}

template <class T>
class DenseReader final : public ColumnReader {
 public:
  explicit DenseReader(const MatrixView<const T>& X) : X_(X) {}

  std::vector<std::int32_t> choose_bins(const BinPlan& plan, std::span<Feature> features,
                                        const Context& ctx) const override {
    const std::vector<std::uint32_t> rows = sample_rows(X_.n_rows, plan.weight);
    std::vector<double> weight;
    if (!plan.weight.empty())
      for (const std::uint32_t row : rows) weight.push_back(plan.weight[row]);
    std::vector<std::int32_t> usual(features.size());
    const Chunks batches = Chunks::of_rows(X_.n_cols, kBatch);
    const double cost = 40.0 * static_cast<double>(rows.size()) * static_cast<double>(X_.n_cols);
    parallel_for(ctx, batches.count(), cost, [&](std::int64_t batch) {
      const std::int64_t first = batches.begin(batch), n = batches.end(batch) - first;
      std::vector<T> values(rows.size() * at(n));
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::int64_t j = 0; j < n; ++j)
          values[at(j) * rows.size() + i] = X_(rows[i], first + j);
      for (std::int64_t j = 0; j < n; ++j) {
        Feature& feature = features[at(first + j)];
        feature.n_levels = plan.n_levels.empty() ? 0 : plan.n_levels[at(first + j)];
        const ColumnSample<T> sample{{values.data() + at(j) * rows.size(), rows.size()}, weight};
        const auto of_bin = choose_column_bins(sample, plan.most_bins(first + j), feature, ctx);
        const auto most = std::max_element(of_bin.begin(), of_bin.end());
        const bool is_usual = 2.0 * *most >= std::reduce(of_bin.begin(), of_bin.end());
        usual[at(first + j)] = is_usual ? static_cast<std::int32_t>(most - of_bin.begin()) : -1;
      }
    });
    return usual;
  }

  std::vector<BinnedColumn> read_bins(std::span<const Feature> features,
                                      std::span<const std::int32_t> usual,
                                      std::span<const std::uint8_t> wanted,
                                      const Context& ctx) const override {
    std::vector<BinnedColumn> columns(features.size());
    std::vector<Quantiser<T>> quantisers(features.begin(), features.end());
    for (std::size_t f = 0; f < features.size(); ++f)
      if (wanted[f] != 0 && usual[f] < 0) columns[f].bins = Buffer<std::uint8_t>(X_.n_rows);
    const Chunks chunks = Chunks::of_rows(X_.n_rows, kChunkRows);
    const double cost = 4.0 * static_cast<double>(X_.n_rows) * static_cast<double>(X_.n_cols);
    std::vector<std::vector<BinnedColumn>> parts(at(chunks.count()));
    parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
      auto& part = parts[at(chunk)];
      part.resize(features.size());
      for (std::size_t f = 0; f < features.size(); ++f) part[f].usual = usual[f];
      for (std::int64_t begin = chunks.begin(chunk); begin < chunks.end(chunk);
           begin += kBlockRows) {
        ctx.check();
        const std::int64_t n = std::min(kBlockRows, chunks.end(chunk) - begin);
        for (std::size_t f = 0; f < features.size(); ++f)
          if (wanted[f] != 0)
            read_block(quantisers[f], static_cast<std::int64_t>(f), begin, n, columns[f], part[f]);
      }
    });
    parallel_for(ctx, X_.n_cols, 0.1 * cost,
                 [&](std::int64_t f) { join(parts, at(f), usual[at(f)], columns[at(f)]); });
    return columns;
  }

 private:
  void read_block(const Quantiser<T>& quantiser, std::int64_t f, std::int64_t first, std::int64_t n,
                  BinnedColumn& whole, BinnedColumn& part) const {
    std::array<T, kBlockRows> values;
    for (std::int64_t i = 0; i < n; ++i) values[at(i)] = X_(first + i, f);
    std::array<std::uint8_t, kBlockRows> listed;
    std::uint8_t* bins = part.usual < 0 ? whole.bins.data() + first : listed.data();
    part.has_missing |= quantiser.write(values.data(), n, bins);
    if (part.usual >= 0) append_away(bins, n, first, part);
  }

  static void join(std::span<std::vector<BinnedColumn>> parts, std::size_t f, std::int32_t usual,
                   BinnedColumn& column) {
    column.usual = usual;
    std::size_t size = 0;
    for (const auto& part : parts) size += part[f].rows.size();
    column.rows.reserve(size);
    column.away.reserve(size);
    for (auto& part : parts) {
      BinnedColumn own = std::move(part[f]);
      column.rows.insert(column.rows.end(), own.rows.begin(), own.rows.end());
      column.away.insert(column.away.end(), own.away.begin(), own.away.end());
      column.has_missing |= own.has_missing;
    }
  }

  MatrixView<const T> X_;
};

}  // namespace

std::unique_ptr<ColumnReader> dense_reader(const MatrixView<const float>& X) {
  return std::make_unique<DenseReader<float>>(X);
}
std::unique_ptr<ColumnReader> dense_reader(const MatrixView<const double>& X) {
  return std::make_unique<DenseReader<double>>(X);
}

}  // namespace gramian::boost
