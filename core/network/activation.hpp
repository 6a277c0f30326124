// What a neuron makes of the weighted sum of its inputs.
#pragma once

namespace gramian::network {

enum class Activation {
  identity,
  logistic,
  tanh,
  relu,
  leaky_relu,
  softplus,
  gelu,
  silu,
  selu,
  mish,
  exp,      // of outputs
  softmax,  // of outputs, all of a row together
};

// Whether the derivative does not follow from the activation's value alone.
inline bool needs_slopes(Activation activation) {
  return activation == Activation::gelu || activation == Activation::silu ||
         activation == Activation::selu || activation == Activation::mish;
}

// One of them: of any activation whose derivatives were kept.
inline constexpr Activation kOfKeptSlopes = Activation::gelu;

inline constexpr double kLeak = 0.01;  // slope of leaky_relu below zero

}  // namespace gramian::network
