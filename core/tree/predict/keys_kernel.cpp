#include "tree/predict/keys_kernel.hpp"

namespace gramian::GRAMIAN_ISA {
namespace {

// kStep, kOutStep: 1 where the entries are adjacent, so that the loop becomes vectors; else 0.
template <int kStep, int kOutStep, class T>
std::uint32_t write_line(const T* __restrict x, std::int64_t step, std::int64_t n,
                         std::uint32_t* __restrict out, std::int64_t out_step) {
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto key = tree::key_of(static_cast<float>(x[i * (kStep ? 1 : step)]));
    largest = key > largest ? key : largest;
    out[i * (kOutStep ? 1 : out_step)] = key;
  }
  return largest;
}

template <class T>
bool write_block(const tree::KeyBlock<T>& block) {
  std::uint32_t largest = 0;
  const auto keep = [&](std::uint32_t key) { largest = key > largest ? key : largest; };
  if (block.col_stride == 1 && block.col_step == 1) {
    for (std::int64_t i = 0; i < block.n_rows; ++i)
      keep(write_line<1, 1>(block.x + i * block.row_stride, 1, block.n_cols,
                            block.keys + i * block.row_step, 1));
  } else if (block.row_stride == 1 && block.row_step == 1) {
    for (std::int64_t j = 0; j < block.n_cols; ++j)
      keep(write_line<1, 1>(block.x + j * block.col_stride, 1, block.n_rows,
                            block.keys + j * block.col_step, 1));
  } else if (block.col_stride == 1) {
    for (std::int64_t i = 0; i < block.n_rows; ++i)
      keep(write_line<1, 0>(block.x + i * block.row_stride, 1, block.n_cols,
                            block.keys + i * block.row_step, block.col_step));
  } else {
    for (std::int64_t j = 0; j < block.n_cols; ++j)
      keep(write_line<0, 0>(block.x + j * block.col_stride, block.row_stride, block.n_rows,
                            block.keys + j * block.col_step, block.row_step));
  }
  return largest == tree::kMissingKey;
}

}  // namespace

bool write_keys(const tree::KeyBlock<float>& block) { return write_block(block); }
bool write_keys(const tree::KeyBlock<double>& block) { return write_block(block); }

}  // namespace gramian::GRAMIAN_ISA
