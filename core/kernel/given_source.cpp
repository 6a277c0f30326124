#include "kernel/source.hpp"

namespace gramian::kernel {
namespace {

template <class T>
class GivenSource final : public Source<T> {
 public:
  GivenSource(MatrixView<const double> gram, std::vector<std::int64_t> kept)
      : gram_(gram), kept_(std::move(kept)) {}

  std::int64_t n_rows() const override { return static_cast<std::int64_t>(kept_.size()); }
  double entry_ns() const override { return 1.0; }

  void block(const Source<T>& of, std::span<const std::int64_t> which, std::int64_t begin,
             std::int64_t end, T* out, std::int64_t stride) const override {
    const auto& rows = static_cast<const GivenSource&>(of);
    for (std::size_t r = 0; r < which.size(); ++r) {
      const std::int64_t i = rows.kept_[static_cast<std::size_t>(which[r])];
      T* row = out + static_cast<std::int64_t>(r) * stride;
      for (std::int64_t c = begin; c < end; ++c)
        row[c - begin] = static_cast<T>(gram_(i, kept_[static_cast<std::size_t>(c)]));
    }
  }

  std::unique_ptr<Source<T>> subset(std::span<const std::int64_t> kept) const override {
    std::vector<std::int64_t> part;
    part.reserve(kept.size());
    for (const std::int64_t i : kept) part.push_back(kept_[static_cast<std::size_t>(i)]);
    return std::make_unique<GivenSource>(gram_, std::move(part));
  }

 private:
  MatrixView<const double> gram_;
  std::vector<std::int64_t> kept_;  // rows and columns of gram_
};

}  // namespace

template <class T>
std::unique_ptr<Source<T>> given_source(MatrixView<const double> gram) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(gram.n_rows));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  return std::make_unique<GivenSource<T>>(gram, std::move(all));
}

template std::unique_ptr<Source<float>> given_source(MatrixView<const double>);
template std::unique_ptr<Source<double>> given_source(MatrixView<const double>);

}  // namespace gramian::kernel
