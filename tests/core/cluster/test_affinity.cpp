// Affinity propagation: the messages of its equations, for any threads and level.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "cluster/affinity.hpp"
#include "cluster/affinity_kernel.hpp"
#include "linalg/linalg_data.hpp"
#include "simd/each_level.hpp"

using gramian::MatrixView;
using gramian::cluster::AffinityRule;
using test::at;
using test::context_with;

namespace {

struct Messages {
  std::int64_t n;
  std::vector<double> S, A, R;
  std::vector<std::uint8_t> is_exemplar;

  explicit Messages(std::int64_t rows, std::uint64_t seed)
      : n(rows),
        S(test::normal_values(rows * rows, seed)),
        A(at(rows * rows)),
        R(at(rows * rows)),
        is_exemplar(at(rows)) {
    for (double& value : S) value = -std::abs(value);
    for (std::int64_t i = 0; i < n; ++i) S[at(i * n + i)] = -1.5;
  }
  gramian::cluster::AffinityResult run(const AffinityRule& rule, int n_threads) {
    return gramian::cluster::propagate_affinity(
        {{S.data(), n, n}, {A.data(), n, n}, {R.data(), n, n}}, rule, is_exemplar,
        context_with(n_threads));
  }
};

// One round by the equations, availabilities last.
void round_naively(Messages& m, double damping) {
  const std::int64_t n = m.n;
  std::vector<double> fresh(at(n * n));
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k) {
      double most = -std::numeric_limits<double>::infinity();
      for (std::int64_t j = 0; j < n; ++j)
        if (j != k) most = std::max(most, m.A[at(i * n + j)] + m.S[at(i * n + j)]);
      fresh[at(i * n + k)] = m.S[at(i * n + k)] - most;
    }
  for (std::size_t e = 0; e < fresh.size(); ++e)
    m.R[e] = damping * m.R[e] + (1.0 - damping) * fresh[e];
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t k = 0; k < n; ++k) {
      double sum = i == k ? 0.0 : m.R[at(k * n + k)];
      for (std::int64_t j = 0; j < n; ++j)
        if (j != i && j != k) sum += std::max(0.0, m.R[at(j * n + k)]);
      const double available = i == k ? sum : std::min(0.0, sum);
      m.A[at(i * n + k)] = damping * m.A[at(i * n + k)] + (1.0 - damping) * available;
    }
}

}  // namespace

TEST(messages_of_affinity_are_those_of_the_equations) {
  for (const std::int64_t n : {2, 3, 9, 40, 77})
    for (const double damping : {0.5, 0.9}) {
      Messages ours(n, 1), naive(n, 1);
      for (int round = 0; round < 6; ++round) round_naively(naive, damping);
      const auto found = ours.run({damping, 6, 100}, 1);
      CHECK(found.n_iter == 6 && !found.is_converged);
      for (std::size_t e = 0; e < naive.R.size(); ++e)
        CHECK(std::abs(ours.R[e] - naive.R[e]) < 1e-12);
      for (std::int64_t k = 0; k < n; ++k) {
        const double sum = naive.A[at(k * n + k)] + naive.R[at(k * n + k)];
        CHECK(std::abs(sum) < 1e-9 || (sum > 0.0) == (ours.is_exemplar[at(k)] != 0));
      }
    }
}

TEST(affinity_is_the_same_for_any_number_of_threads) {
  Messages one(150, 2), three(150, 2);
  const auto first = one.run({0.8, 300, 15}, 1), second = three.run({0.8, 300, 15}, 3);
  CHECK(first.n_iter == second.n_iter && first.is_converged == second.is_converged);
  CHECK(one.R == three.R && one.A == three.A && one.is_exemplar == three.is_exemplar);
}

TEST(affinity_ends_when_exemplars_stay) {
  Messages m(60, 3);
  const auto found = m.run({0.7, 1000, 15}, 1);
  CHECK(found.is_converged && found.n_iter > 15 && found.n_iter < 1000);
  Messages again(60, 3);
  const auto sooner = again.run({0.7, found.n_iter - 1, 15}, 1);
  CHECK(!sooner.is_converged && sooner.n_iter == found.n_iter - 1);
  CHECK(again.is_exemplar == m.is_exemplar);
}

TEST(a_row_of_messages_is_alike_at_every_level) {
  for (const std::int64_t n : {1, 7, 8, 29}) {
    const auto S = test::normal_values(n, 4), A = test::normal_values(n, 5),
               R = test::normal_values(n, 6), sums = test::normal_values(n, 7);
    std::vector<double> first;
    for (const auto level : test::levels()) {
      auto a = A, r = R;
      std::vector<double> next(at(n), 0.5);
      const gramian::cluster::AffinityRow row{S.data(),    a.data(), r.data(), sums.data(),
                                              next.data(), n,        n / 2,    0.6};
      AT_LEVEL(level, pass_messages, row);
      std::vector<double> all(a);
      all.insert(all.end(), r.begin(), r.end());
      all.insert(all.end(), next.begin(), next.end());
      if (first.empty()) first = all;
      CHECK(n == 1 || all == first);  // without another row the largest of none is infinite
    }
  }
}
