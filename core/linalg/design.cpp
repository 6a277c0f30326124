#include <utility>

#include "linalg/moments.hpp"

namespace gramian::linalg {

std::unique_ptr<Design> design_of(const AnyMatrix& X, MatrixView<const double> Y,
                                  std::span<const double> weight) {
  const auto make = [&]<class D>(D design) -> std::unique_ptr<Design> {
    return std::make_unique<D>(std::move(design));
  };
  return std::visit(
      [&]<class View>(const View& rows) {
        if constexpr (kIsSparse<View>)
          return make(CsrDesign(rows, Y, weight));
        else
          return make(DenseDesign(rows, Y, weight));
      },
      X);
}

}  // namespace gramian::linalg
