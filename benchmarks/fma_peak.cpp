// The rate of fused multiply-adds that one thread can reach: prints 1e9 flop/s for double and
// float. Enough independent vectors hide the latency of the instruction; none of them leaves a
// register. Time is the processor time of the thread, so that other processes do not lower the
// peak.
#include <cstdio>
#include <ctime>

#if defined(__AVX512F__)
constexpr int kBytes = 64;
constexpr int kVectors = 24;
#else
constexpr int kBytes = 32;
constexpr int kVectors = 12;
#endif
constexpr long kRounds = 20'000'000;

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class T>
double rate() {
  typedef T Vector __attribute__((vector_size(kBytes)));
  constexpr int kLanes = kBytes / sizeof(T);
  Vector sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = Vector{} + static_cast<T>(v);
  Vector factor = Vector{} + static_cast<T>(0.5);
  Vector term = Vector{} + static_cast<T>(1.0);
  asm volatile("" : "+x"(factor), "+x"(term));  // unknown to the compiler
  const double start = processor_seconds();
  for (long round = 0; round < kRounds; ++round) {
#pragma GCC unroll 24
    for (int v = 0; v < kVectors; ++v) sums[v] = sums[v] * factor + term;
  }
  const double elapsed = processor_seconds() - start;
  Vector total{};
  for (int v = 0; v < kVectors; ++v) total += sums[v];
  asm volatile("" : : "x"(total));
  return 2.0 * kLanes * kVectors * kRounds / elapsed / 1e9;
}

int main() { std::printf("%.2f %.2f\n", rate<double>(), rate<float>()); }
