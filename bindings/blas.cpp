// Hands SciPy's BLAS and LAPACK functions to the core.
#include "linalg/blas.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings/binding.hpp"

namespace gramian {

namespace {

// Cython names a capsule by the function's C signature, with typedefs such as
// __pyx_t_5scipy_6linalg_11cython_blas_d for double: those become their last letter.
std::string plain_signature(std::string_view name) {
  constexpr std::string_view kTypedef = "__pyx_t_";
  std::string plain;
  while (!name.empty()) {
    if (!name.starts_with(kTypedef)) {
      plain += name.front();
      name.remove_prefix(1);
      continue;
    }
    const std::size_t length = std::min(name.find_first_of(" ,)"), name.size());
    plain += name[length - 1];
    name.remove_prefix(length);
  }
  return plain;
}

// A pointer of another signature (64-bit sizes, say) would corrupt memory: it is refused.
void* address_of(const nb::handle& capsule, const blas::Function& function) {
  require(PyCapsule_CheckExact(capsule.ptr()), "functions must map names to capsules");
  const char* name = PyCapsule_GetName(capsule.ptr());
  const std::string signature = plain_signature(name == nullptr ? "" : name);
  if (signature != function.signature)
    throw nb::value_error((std::string(function.name) + " has the signature '" + signature +
                           "', expected '" + function.signature + "'")
                              .c_str());
  return PyCapsule_GetPointer(capsule.ptr(), name);
}

void load_blas(const nb::dict& functions, std::uintptr_t set_threads, std::uintptr_t get_threads) {
  blas::Table table;
  for (const blas::Function& function : blas::functions()) {
    const nb::str name(function.name.data(), function.name.size());
    require(functions.contains(name), "functions must hold every name of blas_functions()");
    blas::set_function(table, function.name, address_of(functions[name], function));
  }
  require((set_threads == 0) == (get_threads == 0),
          "set_threads and get_threads must be given together");
  blas::load(table, reinterpret_cast<blas::SetThreads>(set_threads),
             reinterpret_cast<blas::GetThreads>(get_threads));
}

}  // namespace

void bind_blas(nb::module_& m) {
  m.def(
      "blas_functions",
      [] {
        std::vector<std::string> names;
        for (const blas::Function& function : blas::functions()) names.emplace_back(function.name);
        return names;
      },
      "The names of the BLAS and LAPACK functions that the core calls.");
  m.def("load_blas", &load_blas, "functions"_a, "set_threads"_a = 0, "get_threads"_a = 0,
        "Take the functions, as capsules of scipy.linalg.cython_blas and cython_lapack, and the\n"
        "addresses of openblas_set_num_threads and openblas_get_num_threads (0 where absent).");
  nb::class_<blas::SingleThreadedBlas>(
      m, "SingleThreadedBlas",
      "While any of these lives, in any thread, SciPy's BLAS runs on one thread.")
      .def(nb::init<>());
  m.def("is_blas_loaded", &blas::is_loaded, "Whether load_blas has been called.");
}

}  // namespace gramian
