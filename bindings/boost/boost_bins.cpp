// Boosting: tables cut into bins. Shapes checked, GIL released.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/binding.hpp"
#include "boost/bins/binned_blocks.hpp"
#include "boost/bins/bins.hpp"
#include "boost/bins/column_sample.hpp"

namespace gramian {
namespace {

using boost::BinnedBlocks;
using boost::Bins;

boost::Sharing sharing_of(std::string_view name) {
  using boost::Sharing;
  return named<Sharing>(
      {{"none", Sharing::none}, {"exclusive", Sharing::exclusive}, {"all", Sharing::all}}, name,
      "unknown kind of sharing");
}

// Checks what all columns of a table are cut by; n is the number of rows that have weights.
boost::BinPlan bin_plan(std::int64_t n, std::int64_t p,
                        const OptionalVector<std::int32_t>& n_levels, std::int32_t max_bins,
                        const OptionalVector<double>& weight,
                        const OptionalVector<std::int32_t>& column_bins, bool absent_is_missing) {
  require(n > 0 && p > 0, "X must have rows and columns");
  require(max_bins >= 2 && max_bins <= boost::kMaxBins, "max_bins must be from 2 to 255");
  require_entries(p, "n_levels and column_bins must have one entry per column", n_levels,
                  column_bins);
  require_entries(n, "weight must have one entry per row", weight);
  for (const std::int32_t most : or_empty(column_bins))
    require(most >= 2 && most <= boost::kMaxBins, "column_bins must be from 2 to 255");
  return {or_empty(n_levels), max_bins, or_empty(weight), or_empty(column_bins), absent_is_missing};
}

void require_rate(double max_conflict_rate) {
  require(max_conflict_rate >= 0.0 && max_conflict_rate < 1.0,
          "max_conflict_rate must be from 0 to less than 1");
}

std::shared_ptr<Bins> make_bins(const InRows& X, const OptionalVector<std::int32_t>& n_levels,
                                std::int32_t max_bins, const OptionalVector<double>& weight,
                                const OptionalVector<std::int32_t>& column_bins,
                                std::string_view sharing, double max_conflict_rate,
                                bool absent_is_missing, const Context& ctx) {
  const AnyMatrix table = X.view();
  const boost::BinPlan plan = bin_plan(n_rows_of(table), n_cols_of(table), n_levels, max_bins,
                                       weight, column_bins, absent_is_missing);
  require_rate(max_conflict_rate);
  const boost::Sharing kind = sharing_of(sharing);
  const ReleasedGil nogil;
  return std::make_shared<Bins>(table, plan, kind, max_conflict_rate, ctx);
}

// -- rows in blocks -------------------------------------------------------------------------------

auto sampled_rows(std::int64_t n_rows, const OptionalVector<double>& weight) {
  require(n_rows > 0, "there must be rows");
  require_entries(n_rows, "weight must have one entry per row", weight);
  const std::vector<std::uint32_t> rows = boost::sample_rows(n_rows, or_empty(weight));
  return owned(std::vector<std::int64_t>(rows.begin(), rows.end()));
}

std::shared_ptr<BinnedBlocks> make_blocks(const InDense& sample, std::int64_t n_rows,
                                          const OptionalVector<std::int32_t>& n_levels,
                                          std::int32_t max_bins,
                                          const OptionalVector<double>& weight,
                                          const Context& ctx) {
  const AnyDense table = sample.view();
  const boost::BinPlan plan =
      bin_plan(n_rows_of(table), n_cols_of(table), n_levels, max_bins, weight, std::nullopt, false);
  require(n_rows >= n_rows_of(table), "there must be no fewer rows than in the sample");
  const ReleasedGil nogil;
  return std::make_shared<BinnedBlocks>(table, plan, n_rows, ctx);
}

void write_block(BinnedBlocks& self, const InDense& block, const InVector<std::int64_t>& rows,
                 const InVector<std::int64_t>& places, const Context& ctx) {
  const AnyDense table = block.view();
  require(n_cols_of(table) == self.n_features(), "the block must have the columns of the sample");
  const auto from = vec(rows), to = vec(places);
  require(from.size() == to.size(), "rows and places must be as many");
  const auto is_below = [](std::span<const std::int64_t> numbers, std::int64_t end) {
    return std::ranges::all_of(numbers, [end](std::int64_t i) { return i >= 0 && i < end; });
  };
  require(is_below(from, n_rows_of(table)) && is_below(to, self.n_rows()),
          "rows and places must be numbers of rows");
  const ReleasedGil nogil;
  self.write(table, from, to, ctx);
}

void bind_blocks(nb::module_& m) {
  m.def("boost_sample_rows", &sampled_rows, "n_rows"_a, nb::kw_only(), "weight"_a,
        "The rows that bins are chosen from, ascending.");
  nb::class_<BinnedBlocks> blocks(m, "BoostBlocks", "Rows that come in blocks, cut into bins.");
  blocks.def(nb::new_(&make_blocks), "sample"_a, nb::kw_only(), "n_rows"_a, "n_levels"_a,
             "max_bins"_a, "weight"_a, "ctx"_a);
  blocks.def("write", &write_block, "block"_a, "rows"_a, "places"_a, nb::kw_only(), "ctx"_a,
             "Cut rows of a block, which are those at `places` of the table.");
}

void bind_bins_of_blocks(nb::class_<Bins>& cls) {
  cls.def_static(
      "of_blocks",
      [](BinnedBlocks& blocks, std::string_view sharing, bool is_lean, const Context& ctx) {
        const boost::Sharing kind = sharing_of(sharing);
        const ReleasedGil nogil;
        return std::make_shared<Bins>(blocks, kind, 0.0, ctx, is_lean);
      },
      "blocks"_a, nb::kw_only(), "sharing"_a = "all", "is_lean"_a = false, "ctx"_a,
      "The bins of rows in blocks, which move over; lean ones take one byte a value, not two.");
  cls.def(
      "blocks_like",
      [](const Bins& self, std::int64_t n_rows) {
        require(n_rows > 0, "there must be rows");
        return std::make_shared<BinnedBlocks>(self.blocks_like(n_rows));
      },
      "n_rows"_a, "For other rows in blocks, cut into the same bins.");
  cls.def(
      "like_blocks",
      [](const Bins& self, BinnedBlocks& blocks, const Context& ctx) {
        require(blocks.n_features() == self.n_features(), "the blocks must be of these columns");
        const ReleasedGil nogil;
        return std::make_shared<Bins>(self, blocks, ctx);
      },
      "blocks"_a, nb::kw_only(), "ctx"_a, "The bins of what `blocks_like` gave.");
}

std::shared_ptr<Bins> bins_like(const Bins& self, const InRows& X, const Context& ctx) {
  const AnyMatrix table = X.view();
  require(n_cols_of(table) == self.n_features(), "X must have the columns of the bins");
  const ReleasedGil nogil;
  return std::make_shared<Bins>(self, table, ctx);
}

void bind_bins(nb::class_<Bins>& cls) {
  cls.def(nb::new_(&make_bins), "X"_a, nb::kw_only(), "n_levels"_a, "max_bins"_a, "weight"_a,
          "column_bins"_a = nb::none(), "sharing"_a = "all", "max_conflict_rate"_a = 0.0,
          "absent_is_missing"_a = false, "ctx"_a);
  cls.def("like", &bins_like, "X"_a, nb::kw_only(), "ctx"_a, "The same bins for other rows.");
}

// Of each column: its track, or -1; its first code and its usual bin in a bundle, or -1.
nb::dict places_of(const Bins& bins) {
  std::vector<std::int32_t> track, first_code, usual_bin;
  for (std::int64_t f = 0; f < bins.n_features(); ++f) {
    track.push_back(bins[f].track);
    first_code.push_back(bins[f].is_bundled() ? bins[f].first_code : -1);
    usual_bin.push_back(bins[f].usual_bin);
  }
  nb::dict places;
  places["track"] = owned(std::move(track));
  places["first_code"] = owned(std::move(first_code));
  places["usual_bin"] = owned(std::move(usual_bin));
  return places;
}

}  // namespace

void bind_boost_bins(nb::module_& m) {
  bind_blocks(m);
  nb::class_<Bins> bins(m, "BoostBins", "A table cut into bins.");
  bind_bins(bins);
  bind_bins_of_blocks(bins);
  bins.def_prop_ro("n_rows", &Bins::n_rows);
  bins.def_prop_ro("n_features", &Bins::n_features);
  bins.def_prop_ro("n_tracks", &Bins::n_tracks);
  bins.def("places", &places_of, "By name: the track, first_code and usual_bin of each column.");
  bins.def(
      "codes",
      [](const Bins& self, std::int64_t track) {
        require(track >= 0 && track < self.n_tracks(), "there is no such track");
        const boost::TrackCodes codes = self.track_codes(track);
        std::vector<std::uint8_t> by_row;
        for (std::int64_t i = 0; i < codes.n_rows; ++i)
          by_row.push_back(codes[static_cast<std::size_t>(i)]);
        return owned(std::move(by_row));
      },
      "track"_a, "The codes of a track by row.");
}

}  // namespace gramian
