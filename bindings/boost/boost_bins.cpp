// Boosting: tables cut into bins. Shapes checked, GIL released.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/binding.hpp"
#include "boost/bins/bins.hpp"

namespace gramian {
namespace {

using boost::Bins;

boost::Sharing sharing_of(std::string_view name) {
  using boost::Sharing;
  return named<Sharing>(
      {{"none", Sharing::none}, {"exclusive", Sharing::exclusive}, {"all", Sharing::all}}, name,
      "unknown kind of sharing");
}

std::shared_ptr<Bins> make_bins(const InRows& X, const OptionalVector<std::int32_t>& n_levels,
                                std::int32_t max_bins, const OptionalVector<double>& weight,
                                const OptionalVector<std::int32_t>& column_bins,
                                std::string_view sharing, double max_conflict_rate,
                                bool absent_is_missing, const Context& ctx) {
  const AnyMatrix table = X.view();
  const std::int64_t n = n_rows_of(table), p = n_cols_of(table);
  require(n > 0 && p > 0, "X must have rows and columns");
  require(max_bins >= 2 && max_bins <= boost::kMaxBins, "max_bins must be from 2 to 255");
  require_entries(p, "n_levels and column_bins must have one entry per column", n_levels,
                  column_bins);
  require_entries(n, "weight must have one entry per row", weight);
  for (const std::int32_t most : or_empty(column_bins))
    require(most >= 2 && most <= boost::kMaxBins, "column_bins must be from 2 to 255");
  require(max_conflict_rate >= 0.0 && max_conflict_rate < 1.0,
          "max_conflict_rate must be from 0 to less than 1");
  const boost::BinPlan plan{or_empty(n_levels), max_bins, or_empty(weight), or_empty(column_bins),
                            absent_is_missing};
  const boost::Sharing kind = sharing_of(sharing);
  const ReleasedGil nogil;
  return std::make_shared<Bins>(table, plan, kind, max_conflict_rate, ctx);
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
  nb::class_<Bins> bins(m, "BoostBins", "A table cut into bins.");
  bind_bins(bins);
  bins.def_prop_ro("n_rows", &Bins::n_rows);
  bins.def_prop_ro("n_features", &Bins::n_features);
  bins.def_prop_ro("n_tracks", &Bins::n_tracks);
  bins.def("places", &places_of, "By name: the track, first_code and usual_bin of each column.");
  bins.def(
      "codes",
      [](const Bins& self, std::int64_t track) {
        require(track >= 0 && track < self.n_tracks(), "there is no such track");
        return owned(copied(self.track_codes(track)));
      },
      "track"_a, "The codes of a track by row.");
}

}  // namespace gramian
