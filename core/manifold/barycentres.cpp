#include "manifold/barycentres.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <span>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::manifold {
namespace {

constexpr std::int64_t kRowsOfTask = 64;

// Of one row: k differences of p numbers, their Gram matrix and its factor.
class Neighbourhood {
 public:
  Neighbourhood(std::int64_t k, std::int64_t p) : k_(k), p_(p), differences_(k * p), G_(k * k) {}

  // Differences are divided by the largest: their squares stay within the range of numbers.
  void take(std::span<const double> x, MatrixView<const double> Y,
            std::span<const std::int64_t> index) {
    double largest = 0.0;
    for (std::int64_t j = 0; j < k_; ++j)
      for (std::int64_t c = 0; c < p_; ++c) {
        const double difference = Y(index[at(j)], c) - x[at(c)];
        differences_[j * p_ + c] = difference;
        largest = std::max(largest, std::fabs(difference));
      }
    if (largest > 0.0)
      for (double& difference : differences_) difference /= largest;
  }

  // The lower triangle of G + R I.
  void set_gram(double reg) {
    double trace = 0.0;
    for (std::int64_t i = 0; i < k_; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        const double* a = differences_.data() + i * p_;
        const double* b = differences_.data() + j * p_;
        G_[i * k_ + j] = std::inner_product(a, a + p_, b, 0.0);
      }
      trace += G_[i * k_ + i];
    }
    for (std::int64_t i = 0; i < k_; ++i) G_[i * k_ + i] += trace > 0.0 ? reg * trace : reg;
  }

  // Solves (G + R I) w = 1 by Cholesky's factorisation; whether G + R I is positive definite.
  bool solve(std::span<double> w) {
    for (std::int64_t i = 0; i < k_; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        double sum = G_[i * k_ + j];
        for (std::int64_t c = 0; c < j; ++c) sum -= G_[i * k_ + c] * G_[j * k_ + c];
        if (i == j && !(sum > 0.0)) return false;
        G_[i * k_ + j] = i == j ? std::sqrt(sum) : sum / G_[j * k_ + j];
      }
      double sum = 1.0;
      for (std::int64_t c = 0; c < i; ++c) sum -= G_[i * k_ + c] * w[at(c)];
      w[at(i)] = sum / G_[i * k_ + i];
    }
    for (std::int64_t i = k_ - 1; i >= 0; --i) {
      for (std::int64_t c = i + 1; c < k_; ++c) w[at(i)] -= G_[c * k_ + i] * w[at(c)];
      w[at(i)] /= G_[i * k_ + i];
    }
    return true;
  }

 private:
  std::int64_t k_, p_;
  Buffer<double> differences_, G_;
};

void lower_to(std::atomic<std::int64_t>& least, std::int64_t value) {
  std::int64_t known = least.load(std::memory_order_relaxed);
  while (value < known && !least.compare_exchange_weak(known, value)) {
  }
}

}  // namespace

std::int64_t barycentre_weights(MatrixView<const double> X, MatrixView<const double> Y,
                                MatrixView<const std::int64_t> index, double reg,
                                MatrixView<double> out, const Context& ctx) {
  const std::int64_t k = index.n_cols, p = X.n_cols;
  const auto size = static_cast<double>(k * k) * static_cast<double>(p + k);
  const Chunks chunks = Chunks::of_rows(X.n_rows, kRowsOfTask);
  std::atomic<std::int64_t> first_singular{X.n_rows};
  parallel_for(ctx, chunks.count(), size * static_cast<double>(X.n_rows), [&](std::int64_t task) {
    Neighbourhood near(k, p);
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      near.take(X.row(i), Y, index.row(i));
      near.set_gram(reg);
      const auto w = out.row(i);
      if (!near.solve(w)) {
        lower_to(first_singular, i);
        continue;
      }
      const double sum = std::accumulate(w.begin(), w.end(), 0.0);
      for (double& weight : w) weight /= sum;
    }
  });
  return first_singular < X.n_rows ? first_singular.load() : -1;
}

}  // namespace gramian::manifold
