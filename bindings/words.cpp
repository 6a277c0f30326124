// Words of texts: offsets checked, GIL released.
#include "preprocessing/words.hpp"

#include "bindings/binding.hpp"

namespace gramian {
namespace {

nb::tuple count_words(const InVector<std::uint8_t>& bytes, const InVector<std::int64_t>& offsets,
                      const Context& ctx) {
  const auto text = vec(bytes);
  const auto ends = vec(offsets);
  require(!ends.empty() && ends.front() == 0 && ends.back() == std::ssize(text) &&
              std::ranges::is_sorted(ends),
          "offsets must rise from 0 to the number of bytes");
  preprocessing::WordCounts found;
  {
    const ReleasedGil nogil;
    found = preprocessing::count_words(text, ends, ctx);
  }
  return nb::make_tuple(owned(std::move(found.first)), owned(std::move(found.hashes)),
                        owned(std::move(found.counts)), owned(std::move(found.places)),
                        owned(std::move(found.lengths)));
}

}  // namespace

void bind_words(nb::module_& m) {
  m.def("count_words", &count_words, "bytes"_a.noconvert(), "offsets"_a.noconvert(), nb::kw_only(),
        "ctx"_a,
        "The different words of each text in UTF-8: where they begin in the lists of hashes, of "
        "counts, and of the place and the length in bytes where they stand first.");
}

}  // namespace gramian
