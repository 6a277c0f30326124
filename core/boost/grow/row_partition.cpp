#include "boost/grow/row_partition.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"
#include "boost/grow/part_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::boost {
namespace {

constexpr std::int64_t kChunkRows = 8192;

}  // namespace

void RowPartition::reset(std::int64_t n_rows) {
  rows_.resize(at(n_rows));
  right_.resize(at(n_rows));
  std::iota(rows_.begin(), rows_.end(), 0u);
}

void RowPartition::reset(std::span<const std::uint32_t> rows) {
  rows_.assign(rows.begin(), rows.end());
  right_.resize(rows.size());
}

std::int64_t RowPartition::part(std::int64_t begin, std::int64_t end, const Bins& bins,
                                std::int64_t track, const CodeSet& goes_left, const Context& ctx) {
  const TrackCodes codes = bins.track_codes(track);
  const Chunks chunks = Chunks::of_rows(end - begin, kChunkRows);
  std::vector<std::int64_t> n_left(at(chunks.count()));
  // Each chunk is parted in place; its right rows wait at the chunk's place in right_.
  const double cost = 1.5 * static_cast<double>(end - begin);
  parallel_for(ctx, chunks.count(), cost, [&](std::int64_t chunk) {
    const std::int64_t first = begin + chunks.begin(chunk), n = begin + chunks.end(chunk) - first;
    n_left[at(chunk)] = GRAMIAN_DISPATCH(part_rows, rows_.data() + first, n, codes.data,
                                         codes.stride, goes_left.data(), right_.data() + first);
  });
  std::int64_t place = begin;
  for (std::int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
    std::uint32_t* from = rows_.data() + begin + chunks.begin(chunk);
    std::copy(from, from + n_left[at(chunk)], rows_.data() + place);
    place += n_left[at(chunk)];
  }
  const std::int64_t total_left = place - begin;
  for (std::int64_t chunk = 0; chunk < chunks.count(); ++chunk) {
    const std::uint32_t* from = right_.data() + begin + chunks.begin(chunk);
    const std::int64_t n = chunks.end(chunk) - chunks.begin(chunk) - n_left[at(chunk)];
    std::copy(from, from + n, rows_.data() + place);
    place += n;
  }
  return total_left;
}

void RowPartition::join(std::int64_t begin, std::int64_t middle, std::int64_t end) {
  std::inplace_merge(rows_.begin() + begin, rows_.begin() + middle, rows_.begin() + end);
}

}  // namespace gramian::boost
