// Exceptions that leave the core. The bindings turn them into Python's.
#pragma once

#include <exception>
#include <stdexcept>

namespace gramian {

// The user asked to stop: KeyboardInterrupt in Python.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// An argument that the algorithm cannot work with: ValueError in Python.
class InvalidArgument : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace gramian
