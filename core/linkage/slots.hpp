// Which clusters there are: slots that leave one after the other, and the places that those left
// take in memory, in the order of the slots. Places of slots that left stay until a quarter of all
// is unused.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "base/index.hpp"

namespace gramian::linkage {

class Slots {
 public:
  explicit Slots(std::int64_t n) : slot_at_(at(n)), place_of_(at(n)), n_active_(n) {
    std::iota(slot_at_.begin(), slot_at_.end(), std::int64_t{0});
    std::iota(place_of_.begin(), place_of_.end(), std::int64_t{0});
  }

  std::int64_t n_active() const { return n_active_; }
  std::int64_t n_places() const { return static_cast<std::int64_t>(slot_at_.size()); }
  std::int64_t place_of(std::int64_t slot) const { return place_of_[at(slot)]; }
  std::int64_t slot_at(std::int64_t place) const { return slot_at_[at(place)]; }
  bool is_active(std::int64_t slot) const { return place_of_[at(slot)] >= 0; }
  const std::vector<std::int64_t>& unused() const { return unused_; }

  std::int64_t first() const {
    std::int64_t place = 0;
    while (!is_active(slot_at(place))) ++place;
    return slot_at(place);
  }

  void leave(std::int64_t slot) {
    unused_.push_back(place_of_[at(slot)]);
    place_of_[at(slot)] = -1;
    --n_active_;
  }

  bool should_compact() const {
    return n_active_ > 64 && 4 * (n_places() - n_active_) > n_places();
  }

  // Moves the slots together; the old place of each new one.
  std::vector<std::int64_t> compact() {
    std::vector<std::int64_t> kept;
    kept.reserve(at(n_active_));
    for (std::int64_t place = 0; place < n_places(); ++place)
      if (is_active(slot_at(place))) kept.push_back(place);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      slot_at_[i] = slot_at(kept[i]);
      place_of_[at(slot_at_[i])] = static_cast<std::int64_t>(i);
    }
    slot_at_.resize(kept.size());
    unused_.clear();
    return kept;
  }

 private:
  std::vector<std::int64_t> slot_at_, place_of_, unused_;
  std::int64_t n_active_;
};

// The cluster nearest to another one.
struct Nearest {
  std::int64_t slot;
  double score;
};

inline constexpr std::int64_t kNoSlot = -1;

}  // namespace gramian::linkage
