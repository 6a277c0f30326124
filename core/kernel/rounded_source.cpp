#include <utility>

#include "kernel/source.hpp"

namespace gramian::kernel {
namespace {

class RoundedSource final : public Source<float> {
 public:
  explicit RoundedSource(std::unique_ptr<Source<double>> exact) : exact_(std::move(exact)) {}

  std::int64_t n_rows() const override { return exact_->n_rows(); }
  double entry_ns() const override { return exact_->entry_ns() + 0.2; }

  void block(const Source<float>& of, std::span<const std::int64_t> which, std::int64_t begin,
             std::int64_t end, float* out, std::int64_t stride) const override {
    const std::int64_t width = padded(end - begin);
    Buffer<double> tile(std::ssize(which) * width);
    exact_->block(*static_cast<const RoundedSource&>(of).exact_, which, begin, end, tile.data(),
                  width);
    for (std::int64_t r = 0; r < std::ssize(which); ++r)
      for (std::int64_t c = 0; c < end - begin; ++c)
        out[r * stride + c] = static_cast<float>(tile[r * width + c]);
  }

  std::unique_ptr<Source<float>> subset(std::span<const std::int64_t> kept) const override {
    return std::make_unique<RoundedSource>(exact_->subset(kept));
  }

 private:
  std::unique_ptr<Source<double>> exact_;
};

}  // namespace

std::unique_ptr<Source<float>> rounded_source(std::unique_ptr<Source<double>> exact) {
  return std::make_unique<RoundedSource>(std::move(exact));
}

}  // namespace gramian::kernel
