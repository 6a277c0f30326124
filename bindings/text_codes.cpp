// Text as codes of its distinct values.
#include <nanobind/nanobind.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/gil.hpp"
#include "preprocessing/distinct.hpp"

using namespace nanobind::literals;

namespace gramian {
namespace {

constexpr std::int32_t kMissing = -1;

bool is_missing(PyObject* value) {
  return value == Py_None || (PyFloat_CheckExact(value) && std::isnan(PyFloat_AS_DOUBLE(value)));
}

// Objects are known by their address first: few texts are often many references to few objects.
class TextNumbers {
 public:
  std::int32_t number(PyObject* text) {
    const auto address = reinterpret_cast<std::uintptr_t>(text);
    Seen& seen = seen_[(address >> 4) % kSlots];
    if (seen.text == text) return seen.code;
    seen = {text, look_up(text)};
    return seen.code;
  }
  nb::list distinct() const { return distinct_; }

 private:
  struct Seen {
    PyObject* text = nullptr;
    std::int32_t code = 0;
  };
  static constexpr std::size_t kSlots = 4096;

  std::int32_t look_up(PyObject* text) {
    PyObject* known = PyDict_GetItemWithError(codes_.ptr(), text);
    if (known != nullptr) return static_cast<std::int32_t>(PyLong_AsLong(known));
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    const auto code = static_cast<std::int32_t>(distinct_.size());
    codes_[nb::handle(text)] = code;
    distinct_.append(nb::handle(text));
    return code;
  }

  nb::dict codes_;
  nb::list distinct_;
  std::vector<Seen> seen_ = std::vector<Seen>(kSlots);
};

nb::object text_codes(const nb::list& values, const OutVector<std::int32_t>& codes) {
  const auto out = vec(codes);
  require(out.size() == values.size(), "codes must have one entry per value");
  TextNumbers numbers;
  for (std::size_t i = 0; i < out.size(); ++i) {
    PyObject* value = PyList_GET_ITEM(values.ptr(), static_cast<Py_ssize_t>(i));
    if (is_missing(value))
      out[i] = kMissing;
    else if (PyUnicode_CheckExact(value))
      out[i] = numbers.number(value);
    else
      return nb::none();
  }
  return numbers.distinct();
}

nb::object distinct_rows(const InMatrix<std::uint32_t>& rows, const OutVector<std::int32_t>& codes,
                         const Context& ctx) {
  const auto view = matrix(rows);
  const auto out = vec(codes);
  require(view.has_contiguous_rows() && std::ssize(out) == view.n_rows,
          "rows must be contiguous, and codes must have one entry per row");
  std::vector<std::int64_t> first;
  {
    const ReleasedGil nogil;
    first = preprocessing::distinct_rows(view, out, ctx);
  }
  return owned(std::move(first));
}

}  // namespace

void bind_text_codes(nb::module_& m) {
  m.def("text_codes", &text_codes, "values"_a, nb::kw_only(), "codes"_a.noconvert(),
        "The distinct texts of a list in the order of their first appearance, and the code of each "
        "value, -1 for None and NaN; None if there is anything else.");
  m.def("distinct_rows", &distinct_rows, "rows"_a.noconvert(), nb::kw_only(), "codes"_a.noconvert(),
        "ctx"_a, "The first of each of the distinct rows, and the code of each row.");
}

}  // namespace gramian
