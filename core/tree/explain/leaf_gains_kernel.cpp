#include "tree/explain/leaf_gains_kernel.hpp"

#include <bit>

namespace gramian::GRAMIAN_ISA {
namespace {

using tree::LeafTask;

// kWords = 0: the number of words is known at run time only.
template <int kWords>
class Gains {
 public:
  Gains(const LeafTask& task, const std::uint64_t* pattern, double* gains)
      : task_(task), pattern_(pattern), gains_(gains) {}

  bool run() {
    bool is_any = false;
    for (std::int64_t s = 0; s < task_.n_sets; ++s) {
      std::uint64_t others = reaching(s);
      if (others == 0) continue;
      if (!is_any) start();
      is_any = true;
      for (; others != 0; others &= others - 1) add(64 * s + std::countr_zero(others));
    }
    if (!is_any) return false;
    for (int w = 0; w < n_words(); ++w)
      for (std::uint64_t left = off(w); left != 0; left &= left - 1)
        gains_[64 * w + std::countr_zero(left)] = -lost_;
    return true;
  }

 private:
  int n_words() const { return kWords > 0 ? kWords : static_cast<int>(task_.n_words); }

  // The features of word w on which the row leaves the path.
  std::uint64_t off(int w) const {
    const std::int64_t n_left = task_.n_features - 64 * w;
    const std::uint64_t all = n_left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n_left) - 1;
    return all & ~pattern_[w];
  }

  void start() {
    std::int64_t v = 0;
    for (int w = 0; w < n_words(); ++w) v += std::popcount(off(w));
    for (std::int64_t j = 0; j < task_.n_features; ++j) gains_[j] = 0.0;
    gain_ = task_.weights + v * task_.stride;
    loss_ = v > 0 ? gain_ - task_.stride : nullptr;
  }

  // The patterns of word s that have all features on which the row leaves the path.
  std::uint64_t reaching(std::int64_t s) const {
    const std::int64_t n_left = task_.n_patterns - 64 * s;
    std::uint64_t found = n_left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n_left) - 1;
    for (int w = 0; w < n_words(); ++w)
      for (std::uint64_t left = off(w); left != 0 && found != 0; left &= left - 1)
        found &= task_.sets[(64 * w + std::countr_zero(left)) * task_.n_sets + s];
    return found;
  }

  // What the row and the background rows of pattern i give.
  void add(std::int64_t i) {
    const std::uint64_t* other = task_.patterns + i * n_words();
    std::int64_t u = 0;
    for (int w = 0; w < n_words(); ++w) u += std::popcount(pattern_[w] & ~other[w]);
    if (loss_ != nullptr) lost_ += task_.counts[i] * loss_[u];
    if (u == 0) return;
    const double gain = task_.counts[i] * gain_[u - 1];
    for (int w = 0; w < n_words(); ++w)
      for (std::uint64_t only = pattern_[w] & ~other[w]; only != 0; only &= only - 1)
        gains_[64 * w + std::countr_zero(only)] += gain;
  }

  const LeafTask& task_;
  const std::uint64_t* pattern_;
  double* gains_;
  const double* gain_ = nullptr;
  const double* loss_ = nullptr;
  double lost_ = 0.0;
};

}  // namespace

bool leaf_gains(const LeafTask& task, const std::uint64_t* pattern, double* gains) {
  return task.n_words == 1 ? Gains<1>(task, pattern, gains).run()
                           : Gains<0>(task, pattern, gains).run();
}

}  // namespace gramian::GRAMIAN_ISA
