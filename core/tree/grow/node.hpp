// A node while its tree grows, and the columns that it looks at.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "random/mix.hpp"
#include "random/philox.hpp"
#include "tree/criterion/criterion.hpp"

namespace gramian::tree {

struct Node {
  std::int64_t begin = 0;  // the node's rows are begin .. end of the search's array of rows
  std::int64_t end = 0;
  std::int64_t depth = 0;
  std::uint64_t path =
      1;  // a hash of the turns from the root: the key of the node's random numbers
  Bounds bounds;
  bool is_final = false;  // a leaf, whatever its rows
  // Columns that are not known to be constant here; null: all.
  std::shared_ptr<const std::vector<std::uint32_t>> varying;

  std::int64_t size() const { return end - begin; }

  Node child(std::int64_t from, std::int64_t to, bool is_left) const {
    Node node = *this;
    node.begin = from;
    node.end = to;
    node.depth = depth + 1;
    node.path = child_path(path, is_left);
    return node;
  }
};

inline constexpr std::uint16_t kFeaturePurpose = 1;
inline constexpr std::uint16_t kCutPurpose = 2;
inline constexpr std::uint16_t kBootstrapPurpose = 3;

// What a look at a column of a node tells.
enum class Seen {
  constant,
  varying,
  enough,  // no other column need be looked at
};

// An order in which a node looks at all of n columns, cheaper to find than a permutation: any of
// them is as likely to be the first, and of two any comes before the other about as often.
class LookOrder {
 public:
  LookOrder() = default;  // ascending
  LookOrder(std::uint64_t seed, std::uint64_t path, std::size_t n) {
    if (n < 2) return;
    // Primes above any number of columns: each step visits all of them.
    constexpr std::array<std::uint64_t, 8> kPrimes{4294967311, 4294967357, 4294967371, 4294967377,
                                                   4294967387, 4294967389, 4294967459, 4294967477};
    const std::uint64_t drawn = mixed(seed ^ mixed(path ^ kTiePurpose));
    step_ = static_cast<std::size_t>(kPrimes[drawn % kPrimes.size()] % n);
    place_ = static_cast<std::size_t>((drawn >> 3) % n);
    n_ = n;
  }

  std::size_t next() {
    const std::size_t now = place_;
    place_ += step_;
    if (n_ != 0 && place_ >= n_) place_ -= n_;
    return now;
  }

 private:
  static constexpr std::uint64_t kTiePurpose = 0x7469'6573;

  std::size_t place_ = 0, step_ = 1, n_ = 0;  // n_ = 0: places only grow
};

// Draws columns without replacement, in a different order for every node.
class FeatureDraw {
 public:
  FeatureDraw(std::uint64_t seed, std::int64_t n_features, std::int64_t max_features)
      : seed_(seed),
        max_features_(max_features),
        order_(static_cast<std::size_t>(n_features)),
        swaps_(order_.size()) {
    std::iota(order_.begin(), order_.end(), 0u);
  }

  bool takes_all() const { return max_features_ >= static_cast<std::int64_t>(order_.size()); }

  // Calls look(feature) -> Seen for max_features columns and further until one varies. `Numbers`:
  // the stream that is fastest for as many columns.
  template <class Numbers = Stream, class Look>
  void visit(std::uint64_t path, const Look& look) {
    visit_ahead<Numbers>(
        path, 1, [](std::span<const std::uint32_t>) {},
        [&](std::int64_t feature, std::size_t) { return look(feature); });
  }

  // The same in the same order, but prepare(features) is told some columns ahead, up to so many,
  // and look(feature, k) which of these the column is.
  template <class Numbers = Stream, class Prepare, class Look>
  void visit_ahead(std::uint64_t path, std::size_t n_ahead, const Prepare& prepare,
                   const Look& look) {
    Numbers stream(seed_, path, kFeaturePurpose);
    const std::size_t p = order_.size(), most = static_cast<std::size_t>(max_features_);
    std::size_t n_drawn = 0, n_seen = 0, first = 0;
    bool found = false;
    while (n_seen < p) {
      if (n_seen >= most && found) break;
      if (n_seen == n_drawn) {
        first = n_drawn;
        for (std::size_t n = n_drawn < most ? std::min(n_ahead, most - n_drawn) : 1; n > 0; --n)
          draw(n_drawn++, stream);
        prepare(std::span<const std::uint32_t>(order_).subspan(first, n_drawn - first));
      }
      const Seen seen = look(static_cast<std::int64_t>(order_[n_seen]), n_seen - first);
      ++n_seen;
      if (seen == Seen::enough) break;
      found |= seen == Seen::varying;
    }
    // The order is put back, so that a node's draw depends on nothing but its path.
    while (n_drawn-- > 0) std::swap(order_[n_drawn], order_[swaps_[n_drawn]]);
  }

 private:
  template <class Numbers>
  void draw(std::size_t k, Numbers& stream) {
    const std::size_t j = k + static_cast<std::size_t>(stream.below(order_.size() - k));
    std::swap(order_[k], order_[j]);
    swaps_[k] = j;
  }

  std::uint64_t seed_;
  std::int64_t max_features_;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> swaps_;
};

}  // namespace gramian::tree
