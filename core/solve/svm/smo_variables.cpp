#include "solve/svm/smo_variables.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"

namespace gramian::solve {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Candidate {
  double f;
  std::int64_t variable;
};

// The `count` first candidates in order.
template <class Before>
void keep_first(std::vector<Candidate>& candidates, std::int64_t count, Before before) {
  const auto n = std::min<std::ptrdiff_t>(count, std::ssize(candidates));
  std::nth_element(candidates.begin(), candidates.begin() + std::max<std::ptrdiff_t>(n - 1, 0),
                   candidates.end(), before);
  candidates.resize(at(n));
  std::sort(candidates.begin(), candidates.end(), before);
}

bool ascending(const Candidate& a, const Candidate& b) {
  return a.f != b.f ? a.f < b.f : a.variable < b.variable;
}
bool descending(const Candidate& a, const Candidate& b) {
  return a.f != b.f ? a.f > b.f : a.variable < b.variable;
}

// Sum and count of f over the free variables, else the bounds that the others set.
struct Level {
  double sum = 0.0;
  double count = 0.0;
  double upper = kInfinity;
  double lower = -kInfinity;

  void add(const SmoVariables& variables, std::size_t v) {
    const double f = variables.f[v];
    const bool rises = variables.may_rise(v), falls = variables.may_fall(v);
    if (rises && falls) {
      sum += f;
      count += 1.0;
    } else if (rises) {
      upper = std::min(upper, f);
    } else if (falls) {
      lower = std::max(lower, f);
    }
  }
  double value() const {
    if (count > 0.0) return sum / count;
    if (upper == kInfinity || lower == -kInfinity)
      return upper == kInfinity && lower == -kInfinity ? 0.0 : (upper == kInfinity ? lower : upper);
    return 0.5 * (upper + lower);
  }
};

}  // namespace

SmoVariables::SmoVariables(const SmoProblem& problem, std::int64_t n_kernel_rows)
    : n_rows(n_kernel_rows),
      copies(std::ssize(problem.sign) / std::max<std::int64_t>(n_kernel_rows, 1)),
      by_sign(problem.by_sign),
      sign(problem.sign.begin(), problem.sign.end()),
      upper(problem.upper.begin(), problem.upper.end()),
      alpha(problem.alpha.begin(), problem.alpha.end()),
      f(problem.sign.size(), 0.0) {}

Violation SmoVariables::violation() const {
  Violation found{{kInfinity, kInfinity}, {-kInfinity, -kInfinity}, -kInfinity};
  for (std::size_t v = 0; v < f.size(); ++v) {
    const std::size_t g = group(v);
    if (may_rise(v)) found.least_up[g] = std::min(found.least_up[g], f[v]);
    if (may_fall(v)) found.most_low[g] = std::max(found.most_low[g], f[v]);
  }
  for (std::size_t g = 0; g < 2; ++g)
    found.gap = std::max(found.gap, found.most_low[g] - found.least_up[g]);
  found.gap = std::max(found.gap, 0.0);
  return found;
}

std::vector<double> SmoVariables::row_coefficients() const {
  std::vector<double> beta(at(n_rows), 0.0);
  for (std::size_t v = 0; v < alpha.size(); ++v) beta[v % beta.size()] += sign[v] * alpha[v];
  return beta;
}

void SmoVariables::set_f(std::span<const double> sums, const SmoProblem& problem) {
  for (std::size_t v = 0; v < f.size(); ++v)
    f[v] = sums[v % sums.size()] + sign[v] * problem.linear[v];
}

std::vector<std::int64_t> SmoVariables::kept(const Violation& violation) const {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < n_rows; ++i) {
    bool is_kept = false;
    for (std::int64_t c = 0; c < copies; ++c) {
      const std::size_t v = at(c * n_rows + i), g = group(v);
      const bool rises = may_rise(v), falls = may_fall(v);
      is_kept |= (rises && falls) || (rises && f[v] <= violation.most_low[g]) ||
                 (falls && f[v] >= violation.least_up[g]);
    }
    if (is_kept) rows.push_back(i);
  }
  return rows;
}

SmoVariables SmoVariables::subset(std::span<const std::int64_t> kept_rows) const {
  SmoVariables part(*this);
  part.n_rows = std::ssize(kept_rows);
  const auto size = at(part.n_rows * copies);
  for (auto member :
       {&SmoVariables::sign, &SmoVariables::upper, &SmoVariables::alpha, &SmoVariables::f}) {
    std::vector<double>& values = part.*member;
    for (std::int64_t c = 0; c < copies; ++c)
      for (std::int64_t k = 0; k < part.n_rows; ++k)
        values[at(c * part.n_rows + k)] = (this->*member)[at(c * n_rows + kept_rows[at(k)])];
    values.resize(size);
  }
  return part;
}

void SmoVariables::scatter_alpha(std::span<const std::int64_t> rows, SmoVariables& all) const {
  for (std::int64_t c = 0; c < copies; ++c)
    for (std::int64_t k = 0; k < n_rows; ++k)
      all.alpha[at(c * all.n_rows + rows[at(k)])] = alpha[at(c * n_rows + k)];
}

std::vector<std::int64_t> SmoVariables::working_set(std::span<const std::int64_t> last,
                                                    std::int64_t size) const {
  const std::int64_t n = std::ssize(f);
  std::vector<std::int64_t> chosen;
  if (n <= size) {
    for (std::int64_t v = 0; v < n; ++v) chosen.push_back(v);
    return chosen;
  }
  std::vector<char> is_in(at(n), 0);
  for (const std::int64_t v : last.subspan(last.size() / 2)) {
    chosen.push_back(v);
    is_in[at(v)] = 1;
  }
  std::vector<Candidate> ends[4];  // I_up and I_low of each group
  for (std::int64_t v = 0; v < n; ++v) {
    if (is_in[at(v)]) continue;
    const std::size_t g = group(at(v));
    if (may_rise(at(v))) ends[2 * g].push_back({f[at(v)], v});
    if (may_fall(at(v))) ends[2 * g + 1].push_back({f[at(v)], v});
  }
  const std::int64_t missing = size - std::ssize(chosen);
  for (std::size_t e = 0; e < 4; ++e)
    keep_first(ends[e], missing, e % 2 == 0 ? ascending : descending);
  std::size_t next[4] = {};
  for (bool found = true; found && std::ssize(chosen) < size;) {
    found = false;
    for (std::size_t e = 0; e < 4 && std::ssize(chosen) < size; ++e) {
      while (next[e] < ends[e].size() && is_in[at(ends[e][next[e]].variable)]) ++next[e];
      if (next[e] == ends[e].size()) continue;
      const std::int64_t v = ends[e][next[e]].variable;
      is_in[at(v)] = 1;
      chosen.push_back(v);
      found = true;
    }
  }
  return chosen;
}

WorkingRows SmoVariables::rows_of(std::span<const std::int64_t> working) const {
  WorkingRows used;
  std::vector<std::int64_t> place(at(n_rows), -1);
  for (const std::int64_t v : working) {
    const std::int64_t row = v % n_rows;
    if (place[at(row)] < 0) {
      place[at(row)] = std::ssize(used.rows);
      used.rows.push_back(row);
    }
    used.place.push_back(place[at(row)]);
  }
  return used;
}

double SmoVariables::rho(double& margin) const {
  Level levels[2];
  for (std::size_t v = 0; v < f.size(); ++v) levels[group(v)].add(*this, v);
  if (!by_sign) return levels[0].value();
  const double plus = levels[0].value(), minus = levels[1].value();
  margin = 0.5 * (plus - minus);
  return 0.5 * (plus + minus);
}

template <class T>
LocalVariables<T>::LocalVariables(const SmoVariables& from, std::span<const std::int64_t> working,
                                  const WorkingRows& used, std::span<const T* const> kernels) {
  const std::int64_t m = std::ssize(working);
  const std::int64_t stride = kernel::padded(m);
  gram_ = Buffer<T>(m * stride);
  arrays_ = Buffer<double>::zeros(kArrays * stride);
  double* next = arrays_.data();
  const auto array = [&] { return std::exchange(next, next + stride); };
  double *diagonal = array(), *sign = array(), *upper = array();
  problem = {gram_.data(),
             stride,
             m,
             diagonal,
             sign,
             upper,
             array(),
             array(),
             {array(), array()},
             {array(), array()},
             from.by_sign ? 2 : 1,
             0.0,
             0};
  for (int g = 0; g < 2; ++g) {
    std::fill_n(problem.up[g], stride, kInfinity);
    std::fill_n(problem.low[g], stride, -kInfinity);
  }
  std::vector<std::int32_t> cols;
  for (const std::int64_t place : used.place)
    cols.push_back(static_cast<std::int32_t>(used.rows[at(place)]));
  for (std::int64_t i = 0; i < m; ++i) {
    const std::size_t v = at(working[at(i)]);
    const T* row = kernels[at(used.place[at(i)])];
    T* out = gram_.data() + i * stride;
    for (std::int64_t j = 0; j < m; ++j) out[j] = row[cols[at(j)]];
    std::fill(out + m, out + stride, T{0});
    diagonal[i] = static_cast<double>(out[i]);
    sign[i] = from.sign[v];
    upper[i] = from.upper[v];
    problem.alpha[i] = from.alpha[v];
    problem.f[i] = from.f[v];
    const std::size_t g = from.group(v);
    if (from.may_rise(v)) problem.up[g][i] = 0.0;
    if (from.may_fall(v)) problem.low[g][i] = 0.0;
  }
}

template <class T>
std::vector<double> LocalVariables<T>::take(SmoVariables& to, std::span<const std::int64_t> working,
                                            const WorkingRows& used) const {
  std::vector<double> change(used.rows.size(), 0.0);
  for (std::size_t i = 0; i < working.size(); ++i) {
    double& alpha = to.alpha[at(working[i])];
    change[at(used.place[i])] += to.sign[at(working[i])] * (problem.alpha[i] - alpha);
    alpha = problem.alpha[i];
  }
  return change;
}

template class LocalVariables<float>;
template class LocalVariables<double>;

}  // namespace gramian::solve
