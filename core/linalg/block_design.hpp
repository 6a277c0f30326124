// What a least-squares fit needs from rows that come in blocks: the bits of the same rows in one
// matrix, at one pass over the blocks each.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "base/row_blocks.hpp"
#include "linalg/block_sums.hpp"
#include "linalg/moments.hpp"
#include "linalg/row_guess.hpp"

namespace gramian::linalg {

// Moments that blocks add to.
struct AddedMoments {
  Moments moments;

  AddedMoments& operator+=(const AddedMoments& next) {
    add_each(moments.gram, next.moments.gram);
    add_each(moments.cross, next.moments.cross);
    add_each(moments.sum_x, next.moments.sum_x);
    add_each(moments.sum_y, next.moments.sum_y);
    add_each(moments.yy, next.moments.yy);
    moments.weight += next.moments.weight;
    return *this;
  }
  template <class Use>
  void for_each_part(const Use& use) {
    use(std::span(moments.gram.data(), at(moments.gram.size())));
    use(std::span(moments.cross.data(), at(moments.cross.size())));
    for (auto* part : {&moments.sum_x, &moments.sum_y, &moments.yy}) use(std::span(*part));
    use(std::span(&moments.weight, 1));
  }
};

// Refers to its arguments. `weight` is empty or has one entry per row, and Y one row for each.
std::unique_ptr<Design> design_of(const RowBlocks& X, MatrixView<const double> Y,
                                  std::span<const double> weight);

// See moments.hpp; their sums are not finite where an entry is not.
void column_means(const RowBlocks& X, std::span<const double> weight, std::span<double> out,
                  const Context& ctx);

// The same of blocks that somebody else reads, in their order.
class BlockMeans {
 public:
  // Refers to the weights.
  BlockMeans(std::int64_t n_cols, std::int64_t block_rows, std::span<const double> weight);

  // Whether the sums of the block are finite, as they are where all its entries that count are.
  bool add(std::int64_t first, const AnyDense& rows, const Context& ctx);
  // Of at least one block; ends the sums.
  void write(std::span<double> out);

 private:
  std::span<const double> weight_;
  std::int64_t origin_row_;
  std::vector<double> origin_;  // the first row that counts: differences stay small
  BlockSums<ColumnSums> sums_;
};

// What these functions ask of a block whose rows are elsewhere; nothing for others' questions.
std::optional<std::vector<double>> design_sums(const RowSum& asked, const AnyDense& rows,
                                               const Context& ctx);

}  // namespace gramian::linalg
