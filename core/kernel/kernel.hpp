// The kernel functions of support vector machines, and how they are computed.
#pragma once

#include <cstdint>

namespace gramian::kernel {

enum class Kind {
  linear,     // x'y
  poly,       // (gamma x'y + coef0)^degree
  rbf,        // exp(-gamma |x - y|^2)
  sigmoid,    // tanh(gamma x'y + coef0)
  laplacian,  // exp(-gamma |x - y|_1)
  cosine,     // x'y / (|x| |y|), 0 for a row of zeros
  chi2        // exp(-gamma sum (x - y)^2 / (x + y)) of numbers >= 0, 0 / 0 = 0
};

struct Function {
  Kind kind = Kind::rbf;
  double gamma = 1.0;
  double coef0 = 0.0;
  std::int64_t degree = 3;
};

}  // namespace gramian::kernel
