// The check of a sparse matrix's index arrays: GIL released, what was found returned.
#include "bindings/binding.hpp"
#include "linalg/sparse_structure.hpp"

namespace gramian {
namespace {

using linalg::SparseFault;
using linalg::SparseStructure;

constexpr Named<SparseFault> kFaults[] = {{"none", SparseFault::none},
                                          {"first_offset", SparseFault::first_offset},
                                          {"falling_offset", SparseFault::falling_offset},
                                          {"last_offset", SparseFault::last_offset},
                                          {"index", SparseFault::index}};

template <class Index, class Offset>
SparseStructure check_compressed(const InVector<Index>& indices, const InVector<Offset>& indptr,
                                 std::int64_t n_cols, const Context& ctx) {
  const auto columns = vec(indices);
  const auto offsets = vec(indptr);
  require(!offsets.empty() && n_cols >= 0, "indptr must not be empty, nor n_cols negative");
  const ReleasedGil nogil;
  return linalg::check_compressed(columns, offsets, n_cols, ctx);
}

template <class Index>
std::int64_t find_outside(const InVector<Index>& indices, std::int64_t size, const Context& ctx) {
  const auto values = vec(indices);
  require(size >= 0, "size must not be negative");
  const ReleasedGil nogil;
  return linalg::find_outside(values, size, ctx);
}

template <class Index>
void bind_checks(nb::module_& m) {
  const char* doc = "Check CSR arrays; indices behind the last row may hold anything.";
  m.def("check_compressed", &check_compressed<Index, std::int32_t>, "indices"_a, "indptr"_a,
        "n_cols"_a, nb::kw_only(), "ctx"_a, doc);
  m.def("check_compressed", &check_compressed<Index, std::int64_t>, "indices"_a, "indptr"_a,
        "n_cols"_a, nb::kw_only(), "ctx"_a, doc);
  m.def("find_outside", &find_outside<Index>, "indices"_a, "size"_a, nb::kw_only(), "ctx"_a,
        "The position of the first index outside [0, size), or -1.");
}

}  // namespace

void bind_sparse(nb::module_& m) {
  nb::class_<SparseStructure>(m, "SparseStructure", "What the index arrays of a CSR matrix show.")
      .def_prop_ro(
          "fault", [](const SparseStructure& found) { return name_of(kFaults, found.fault); },
          "'none', 'first_offset', 'falling_offset', 'last_offset' or 'index'.")
      .def_ro("row", &SparseStructure::row, "The row of the fault, or -1.")
      .def_ro("value", &SparseStructure::value, "The offset or index that is wrong.")
      .def_ro("is_canonical", &SparseStructure::is_canonical,
              "Whether the indices increase within every row.");
  bind_checks<std::int32_t>(m);
  bind_checks<std::int64_t>(m);
}

}  // namespace gramian
