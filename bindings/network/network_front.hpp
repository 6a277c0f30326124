// The layers before the hidden ones, as Python describes them.
#pragma once

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "bindings/binding.hpp"
#include "network/network.hpp"

namespace gramian {

// Of the inputs of a layer of embeddings, and of no input where there is none.
inline std::vector<network::Block> blocks_of(const std::vector<std::int64_t>& sizes,
                                             const std::vector<std::int32_t>& begins,
                                             const std::vector<std::int32_t>& ends) {
  require(begins.size() == ends.size(), "blocks have a begin and an end");
  require(begins.empty() || std::cmp_equal(begins.size(), sizes[0]), "one block for each input");
  require(begins.empty() || sizes.size() > 2, "embeddings are followed by layers");
  std::vector<network::Block> blocks;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const bool is_within =
        begins[i] >= 0 && begins[i] <= ends[i] && ends[i] <= sizes[1] && begins[i] < sizes[1];
    require(is_within, "a block is one of the neurons of the first layer");
    blocks.push_back({begins[i], ends[i]});
  }
  return blocks;
}

// Of the layer after one of embeddings, where there are frequencies.
inline network::Waves waves_of(const std::vector<std::int64_t>& sizes, bool embeds,
                               std::int64_t n_frequencies,
                               const std::vector<std::int32_t>& sources) {
  require(n_frequencies >= 0, "frequencies are counted");
  require(n_frequencies > 0 || sources.empty(), "waves have frequencies");
  if (n_frequencies == 0) return {};
  require(embeds && sizes.size() > 3, "waves come after embeddings and before layers");
  require(sizes[2] == sizes[1] + std::ssize(sources), "waves are added to the numbers below");
  for (const std::int32_t source : sources)
    require(source >= 0 && source < sizes[1], "a wave is of a number below");
  return {n_frequencies, sources};
}

}  // namespace gramian
