#include <array>
#include <cstdint>
#include <numeric>

#include "base/views.hpp"
#include "check.hpp"

using gramian::CsrView;
using gramian::MatrixView;

TEST(matrix_view_reads_c_and_fortran_order) {
  std::array<double, 6> memory;
  std::iota(memory.begin(), memory.end(), 0.0);
  const MatrixView<double> c(memory.data(), 2, 3);
  CHECK(c(0, 2) == 2.0 && c(1, 0) == 3.0);
  CHECK(c.has_contiguous_rows() && !c.has_contiguous_cols());
  CHECK(c.is_c_contiguous() && !c.is_f_contiguous());

  const MatrixView<const double> f = c.transposed();
  CHECK(f.n_rows == 3 && f.n_cols == 2 && f(2, 1) == c(1, 2));
  CHECK(f.is_f_contiguous() && !f.is_c_contiguous());
  CHECK(f.col(1).size() == 3 && f.col(1)[0] == 3.0);
}

TEST(matrix_view_slices_and_negative_strides) {
  std::array<int, 12> memory;
  std::iota(memory.begin(), memory.end(), 0);
  const MatrixView<int> m(memory.data(), 4, 3);
  const auto middle = m.rows(1, 3);
  CHECK(middle.n_rows == 2 && middle(0, 0) == 3 && middle.row(1)[2] == 8);
  const auto last_cols = m.cols(1, 3);
  CHECK(last_cols(0, 0) == 1 && !last_cols.is_c_contiguous() && last_cols.has_contiguous_rows());
  const MatrixView<int> reversed(memory.data() + 9, 4, 3, -3, 1);
  CHECK(reversed(0, 0) == 9 && reversed(3, 2) == 2);
}

TEST(matrix_view_of_one_row_or_nothing_is_contiguous) {
  std::array<float, 3> memory{};
  const MatrixView<float> row(memory.data(), 1, 3, 77, 1);
  CHECK(row.is_c_contiguous() && row.is_f_contiguous());
  const MatrixView<float> column(memory.data(), 3, 1, 1, 99);
  CHECK(column.is_c_contiguous() && column.is_f_contiguous());
  CHECK(MatrixView<float>().rows(0, 0).n_rows == 0);
}

TEST(csr_view_rows_and_slices) {
  // [[1 0 2], [0 0 0], [0 3 0]]
  const std::array<double, 3> values{1, 2, 3};
  const std::array<std::int32_t, 3> indices{0, 2, 1};
  const std::array<std::int32_t, 4> indptr{0, 2, 2, 3};
  const CsrView<double, std::int32_t> csr{values, indices, indptr, 3};
  CHECK(csr.is_valid() && csr.n_rows() == 3 && csr.n_stored() == 3);
  CHECK(csr.row(0).values.size() == 2 && csr.row(0).cols[1] == 2);
  CHECK(csr.row(1).values.empty());
  const auto tail = csr.rows(1, 3);
  CHECK(tail.is_valid() && tail.n_rows() == 2 && tail.row(1).values[0] == 3.0);
}

TEST(csr_view_refuses_corrupt_indices) {
  const std::array<float, 2> values{1, 2};
  const std::array<std::int64_t, 2> inside{0, 2}, negative{0, -1};
  const std::array<std::int64_t, 3> indptr{0, 1, 2}, falling{0, 2, 1}, too_long{0, 1, 3};
  using View = CsrView<float, std::int64_t>;
  CHECK((View{values, inside, indptr, 3}.is_valid()));
  CHECK((!View{values, inside, indptr, 2}.is_valid()));
  CHECK((!View{values, negative, indptr, 3}.is_valid()));
  CHECK((!View{values, inside, falling, 3}.is_valid()));
  CHECK((!View{values, inside, too_long, 3}.is_valid()));
  CHECK((!View{values, inside, {}, 3}.is_valid()));
}
