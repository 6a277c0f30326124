// Distinct rows against a search through those before.
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "preprocessing/distinct.hpp"
#include "random/philox.hpp"

using gramian::at;

TEST(distinct_rows_are_numbered_as_they_come) {
  for (const std::int64_t n_values : {1, 3, 40}) {
    const std::int64_t n = 3000, width = 2;
    std::vector<std::uint32_t> rows(at(n * width));
    gramian::Stream stream(1, 0, 0);
    for (auto& value : rows) value = static_cast<std::uint32_t>(stream.below(at(n_values)));
    std::vector<std::int32_t> codes(at(n));
    const auto first =
        gramian::preprocessing::distinct_rows({rows.data(), n, width}, codes, gramian::Context{});
    CHECK(std::ranges::is_sorted(first));
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t same = first[at(codes[at(i)])];
      CHECK(same <= i && rows[at(2 * same)] == rows[at(2 * i)]);
      CHECK(rows[at(2 * same + 1)] == rows[at(2 * i + 1)]);
    }
    for (std::size_t a = 0; a < first.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        CHECK(rows[at(2 * first[a])] != rows[at(2 * first[b])] ||
              rows[at(2 * first[a] + 1)] != rows[at(2 * first[b] + 1)]);
  }
}
