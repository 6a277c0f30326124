// The order in which sums over rows are taken: fixed tiles, combined up a binary tree.
#include <atomic>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "parallel/tiles.hpp"

using gramian::Chunks;
using gramian::Context;
using gramian::parallel_reduce;
using gramian::Tiles;
using gramian::TreeSum;

namespace {

constexpr double kLarge = 1e12;  // a cost that always goes parallel

Context context_with(int n_threads) {
  Context ctx;
  ctx.n_threads = n_threads;
  return ctx;
}

// The tree as brackets around the first rows of its tiles.
std::string tree_of(std::int64_t n_rows, int n_threads) {
  return parallel_reduce(
      context_with(n_threads), Tiles::of_rows(n_rows, 4), kLarge,
      [](std::int64_t begin, std::int64_t end) {
        return begin == end ? "none" : std::to_string(begin);
      },
      [](std::string& left, std::string&& right) { left = "(" + left + " " + right + ")"; });
}

double term(std::int64_t i) { return std::sin(static_cast<double>(i)) * 1e3; }

double sum_of_terms(std::int64_t begin, std::int64_t end) {
  double sum = 0.0;
  for (std::int64_t i = begin; i < end; ++i) sum += term(i);
  return sum;
}

void add(double& total, double next) { total += next; }

// Counts how many of its kind are alive and hold a sum.
struct Counted {
  explicit Counted(double value, std::atomic<int>& alive) : sum(value), n_alive(&alive) { enter(); }
  Counted(Counted&& other) noexcept : sum(other.sum), n_alive(other.n_alive) {
    other.n_alive = nullptr;
  }
  Counted& operator=(Counted&& other) noexcept {
    leave();
    sum = other.sum;
    n_alive = std::exchange(other.n_alive, nullptr);
    return *this;
  }
  ~Counted() { leave(); }

  double sum;
  std::atomic<int>* n_alive;
  static inline std::atomic<int> most{0};

 private:
  void enter() {
    const int now = ++*n_alive;
    int seen = most.load();
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
  }
  void leave() {
    if (n_alive) --*n_alive;
  }
};

int most_alive(std::int64_t n_tiles, int n_threads) {
  std::atomic<int> n_alive{0};
  Counted::most = 0;
  const Counted total = parallel_reduce(
      context_with(n_threads), Tiles::of_rows(n_tiles, 1), kLarge,
      [&](std::int64_t begin, std::int64_t) {
        return Counted(static_cast<double>(begin), n_alive);
      },
      [](Counted& left, Counted&& right) {
        left.sum += right.sum;
        const Counted gone = std::move(right);
      });
  CHECK(total.sum == static_cast<double>(n_tiles * (n_tiles - 1) / 2));
  return Counted::most;
}

}  // namespace

TEST(tiles_have_a_fixed_size_whatever_the_number_of_rows) {
  for (const std::int64_t n : {0, 1, 7, 8, 9, 100, 1000}) {
    const Tiles tiles = Tiles::of_rows(n, 8);
    CHECK(tiles.count() == (n + 7) / 8);
    for (std::int64_t i = 0; i < tiles.count(); ++i) {
      CHECK(tiles.begin(i) == 8 * i);
      CHECK(tiles.end(i) == (i + 1 < tiles.count() ? 8 * (i + 1) : n));
    }
  }
}

TEST(tiles_are_combined_up_a_binary_tree) {
  for (int n_threads = 1; n_threads <= 4; ++n_threads) {
    CHECK(tree_of(0, n_threads) == "none");
    CHECK(tree_of(3, n_threads) == "0");
    CHECK(tree_of(8, n_threads) == "(0 4)");
    CHECK(tree_of(9, n_threads) == "((0 4) 8)");
    CHECK(tree_of(20, n_threads) == "(((0 4) (8 12)) 16)");
    CHECK(tree_of(28, n_threads) == "(((0 4) (8 12)) ((16 20) 24))");
  }
}

TEST(parallel_reduce_gives_the_same_bits_for_any_number_of_threads) {
  const auto sum_with = [&](int n_threads) {
    return parallel_reduce(context_with(n_threads), Tiles::of_rows(10'000, 64), kLarge,
                           sum_of_terms, add);
  };
  const double expected = sum_with(1);
  for (int n_threads = 2; n_threads <= 8; ++n_threads)
    for (int round = 0; round < 5; ++round) CHECK(sum_with(n_threads) == expected);
}

TEST(parallel_reduce_keeps_the_order_of_tiles_that_come_late) {
  const auto order = parallel_reduce(
      context_with(4), Tiles::of_rows(300, 1), kLarge,
      [](std::int64_t begin, std::int64_t) {
        if (begin % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
        return std::vector<std::int64_t>{begin};
      },
      [](std::vector<std::int64_t>& all, std::vector<std::int64_t>&& next) {
        all.insert(all.end(), next.begin(), next.end());
      });
  CHECK(order.size() == 300);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == static_cast<std::int64_t>(i));
}

TEST(blocks_of_whole_subtrees_give_the_sum_of_all_rows) {
  constexpr std::int64_t kTile = 16, kBlock = 8 * kTile;
  const auto sum_between = [](std::int64_t first, std::int64_t last) {
    return parallel_reduce(
        context_with(2), Tiles::of_rows(last - first, kTile), kLarge,
        [=](std::int64_t begin, std::int64_t end) {
          return sum_of_terms(first + begin, first + end);
        },
        add);
  };
  for (const std::int64_t n : {100, 127, 128, 129, 1000, 1500, 4000}) {
    TreeSum blocks;
    for (std::int64_t first = 0; first < n; first += kBlock)
      blocks.add(first / kBlock, sum_between(first, std::min(first + kBlock, n)));
    CHECK(blocks.total() == sum_between(0, n));
  }
}

TEST(one_thread_takes_the_same_tree_and_may_leave_out_empty_tiles) {
  for (const std::int64_t n : {0, 1, 5, 16, 17, 333, 1000}) {
    const Tiles tiles = Tiles::of_rows(n, 16);
    const double expected = parallel_reduce(context_with(1), tiles, 0.0, sum_of_terms, add);
    CHECK(gramian::sum_tiles(tiles, sum_of_terms) == expected);
  }
  const auto is_empty = [](std::int64_t i) { return i % 3 == 1 || (i > 8 && i < 16); };
  TreeSum all, some;
  for (std::int64_t i = 0; i < 45; ++i) {
    const double sum = is_empty(i) ? 0.0 : term(i);
    all.add(i, sum);
    if (!is_empty(i)) some.add(i, sum);
  }
  CHECK(all.total() == some.total());
}

TEST(few_partial_sums_are_alive_at_once) {
  CHECK(most_alive(1, 1) == 1);
  CHECK(most_alive(1024, 1) <= 11);  // a path of the tree, and the new one
  // A thread that is asleep in its tile leaves a path of its own waiting for it.
  CHECK(most_alive(1024, 4) <= 4 * 11);
}

TEST(parallel_reduce_of_no_rows_is_the_empty_partial) {
  const auto make = [](std::int64_t begin, std::int64_t end) {
    return static_cast<int>(end - begin) + 7;
  };
  const auto never = [](int&, int&&) { CHECK(false); };
  CHECK(parallel_reduce(context_with(4), Tiles::of_rows(0, 8), kLarge, make, never) == 7);
  CHECK(parallel_reduce_exact(context_with(4), Chunks::of_rows(0, 10), kLarge, make, never) == 7);
}
