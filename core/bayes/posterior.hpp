// What is asked about rows, and the loop over blocks of them that answers it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "base/views.hpp"
#include "bayes/posterior_kernel.hpp"
#include "parallel/parallel_for.hpp"

namespace gramian::bayes {

template <class T>
struct Asked {
  Answer answer;
  std::span<const double> log_prior;  // one for each class
  MatrixView<T> rows;                 // n_rows x n_classes in C order, unless labels are asked for
  std::int64_t* labels;               // n_rows, if they are

  void write(double* joint, std::int64_t begin, std::int64_t end) const {
    const JointBlock block{joint, end - begin, std::ssize(log_prior), log_prior.data()};
    if (answer == Answer::label)
      GRAMIAN_DISPATCH(write_labels, block, labels + begin);
    else
      GRAMIAN_DISPATCH(write_answers, block, answer, &rows(begin, 0), rows.row_stride);
  }
};

// Reads n rows in blocks of at most JointBlock::kMostRows. Every task takes a reader of its own by
// make_reader() and calls reader(begin, end, joint), which writes a JointBlock's entries.
template <class T, class MakeReader>
void answer_rows(std::int64_t n, const Asked<T>& asked, double cost_ns, const Context& ctx,
                 const MakeReader& make_reader) {
  constexpr std::int64_t kTaskRows = 2048;
  const Chunks chunks = Chunks::of_rows(n, kTaskRows);
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    auto reader = make_reader();
    auto joint = Buffer<double>::zeros(std::ssize(asked.log_prior) * JointBlock::kMostRows);
    for (std::int64_t begin = chunks.begin(task); begin < chunks.end(task);) {
      ctx.check();
      const std::int64_t end = std::min(begin + JointBlock::kMostRows, chunks.end(task));
      reader(begin, end, joint.data());
      asked.write(joint.data(), begin, end);
      begin = end;
    }
  });
}

}  // namespace gramian::bayes
