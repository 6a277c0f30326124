// Words of texts against a list made by hand, and on any number of threads.
#include <algorithm>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "check.hpp"
#include "preprocessing/words.hpp"
#include "random/philox.hpp"

using gramian::at;

namespace {

struct Texts {
  std::string bytes;
  std::vector<std::int64_t> offsets{0};

  void add(const std::string& text) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }

  gramian::preprocessing::WordCounts count(const gramian::Context& ctx) const {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return gramian::preprocessing::count_words({data, bytes.size()}, offsets, ctx);
  }
};

}  // namespace

TEST(words_are_counted_where_they_stand) {
  Texts texts;
  texts.add("go to rome, go!");
  texts.add("");
  texts.add(" \t z\xC3\xBCrich ");
  const auto found = texts.count(gramian::Context{});
  CHECK((found.first == std::vector<std::int64_t>{0, 5, 5, 6}));
  std::vector<std::pair<std::string, int>> words;
  for (std::size_t k = 0; k < found.hashes.size(); ++k)
    words.emplace_back(texts.bytes.substr(at(found.places[k]), at(found.lengths[k])),
                       found.counts[k]);
  CHECK(std::is_sorted(found.hashes.begin(), found.hashes.begin() + 5));
  std::sort(words.begin(), words.begin() + 5);
  const std::vector<std::pair<std::string, int>> expected{
      {"!", 1}, {",", 1}, {"go", 2}, {"rome", 1}, {"to", 1}, {"z\xC3\xBCrich", 1}};
  CHECK(words == expected);
  CHECK(std::ranges::count(found.places, 0) == 1);  // "go" is named where it stands first
}

TEST(words_do_not_depend_on_the_number_of_threads) {
  Texts texts;
  gramian::Stream stream(1, 0, 0);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (int k = 0; k < 40; ++k) text.append("w").append(std::to_string(stream.below(500))) += " ";
    texts.add(text);
  }
  gramian::Context one, two;
  one.n_threads = 1;
  two.n_threads = 2;
  const auto a = texts.count(one), b = texts.count(two);
  CHECK(a.first == b.first && a.hashes == b.hashes && a.counts == b.counts);
  CHECK(a.places == b.places && a.lengths == b.lengths);
}
