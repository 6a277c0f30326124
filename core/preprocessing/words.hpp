// The words of texts, known by a hash of 64 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"

namespace gramian::preprocessing {

// The different words of each text, by hash: those of text i stand in [first[i], first[i + 1]).
struct WordCounts {
  std::vector<std::int64_t> first;
  std::vector<std::uint64_t> hashes;  // increasing within a text
  std::vector<std::int32_t> counts;   // how often the word stands in the text
  std::vector<std::int64_t> places;   // of its first byte, where it stands first
  std::vector<std::int32_t> lengths;  // in bytes
};

// Counts the words of the texts that lie one behind the other in `bytes`; text i begins at
// offsets[i]. A word is a run of ASCII letters, digits and bytes above 127, which UTF-8 has in
// letters beyond ASCII; other visible signs are words by themselves. Upper case is taken as it is.
WordCounts count_words(std::span<const std::uint8_t> bytes, std::span<const std::int64_t> offsets,
                       const Context& ctx);

}  // namespace gramian::preprocessing
