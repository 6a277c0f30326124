// The table of function pointers and the guard of the library's thread count.
#include <atomic>
#include <mutex>
#include <new>
#include <stdexcept>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "base/error.hpp"
#include "linalg/blas.hpp"

namespace gramian::blas {

namespace {

struct Library {
  Table table;
  SetThreads set_threads;
  GetThreads get_threads;
};

std::atomic<const Library*> library{nullptr};

struct ThreadLimit {
  std::mutex mutex;
  int n_guards = 0;
  int former = 0;  // number of threads to restore; 0: none
};

// Leaked: a guard in another thread may outlive static objects.
ThreadLimit* const limit = new ThreadLimit;

#if defined(__unix__) || defined(__APPLE__)
// The child begins again with a mutex that nobody holds. Guards of other threads stay with the
// parent; what they would have restored, the child's next guard does.
[[maybe_unused]] const int fork_handler = pthread_atfork(nullptr, nullptr, [] {
  const int former = limit->former;
  new (limit) ThreadLimit;
  limit->former = former;
});
#endif

template <class T>
std::string type_name() {
  if constexpr (std::is_same_v<T, void>) return "void";
  if constexpr (std::is_same_v<T, char*>) return "char *";
  if constexpr (std::is_same_v<T, int*>) return "int *";
  if constexpr (std::is_same_v<T, double>) return "d";
  if constexpr (std::is_same_v<T, double*>) return "d *";
  if constexpr (std::is_same_v<T, float*>) return "s *";
}

template <class Result, class First, class... Rest>
std::string signature_of(Result (*)(First, Rest...)) {
  std::string text = type_name<Result>() + " (" + type_name<First>();
  ((text += ", " + type_name<Rest>()), ...);
  return text + ")";
}

}  // namespace

std::vector<Function> functions() {
  std::vector<Function> all;
#define GRAMIAN_BLAS_DESCRIBE(name, Type) all.push_back({#name, signature_of(Table{}.name)});
  GRAMIAN_BLAS_FUNCTIONS(GRAMIAN_BLAS_DESCRIBE)
#undef GRAMIAN_BLAS_DESCRIBE
  return all;
}

void set_function(Table& table, std::string_view name, void* address) {
#define GRAMIAN_BLAS_SET(field, Type)               \
  if (name == #field) {                             \
    table.field = reinterpret_cast<Type*>(address); \
    return;                                         \
  }
  GRAMIAN_BLAS_FUNCTIONS(GRAMIAN_BLAS_SET)
#undef GRAMIAN_BLAS_SET
  throw InvalidArgument("no BLAS or LAPACK function called '" + std::string(name) + "' is used");
}

void load(const Table& table, SetThreads set_threads, GetThreads get_threads) {
#define GRAMIAN_BLAS_REQUIRE(name, Type) \
  if (table.name == nullptr) throw InvalidArgument("the BLAS function " #name " is missing");
  GRAMIAN_BLAS_FUNCTIONS(GRAMIAN_BLAS_REQUIRE)
#undef GRAMIAN_BLAS_REQUIRE
  const Library* none = nullptr;
  auto* loaded = new Library{table, set_threads, get_threads};
  if (!library.compare_exchange_strong(none, loaded)) delete loaded;
}

bool is_loaded() { return library.load() != nullptr; }

const Table& table() {
  const Library* loaded = library.load(std::memory_order_acquire);
  if (loaded == nullptr)
    throw std::logic_error("BLAS is not loaded; call gramian._blas.ensure_blas() first");
  return loaded->table;
}

SingleThreadedBlas::SingleThreadedBlas() {
  const Library* loaded = library.load(std::memory_order_acquire);
  const std::lock_guard lock(limit->mutex);
  if (limit->n_guards++ > 0 || loaded == nullptr || loaded->set_threads == nullptr) return;
  const int n_threads = loaded->get_threads();
  if (n_threads == 1) return;
  limit->former = n_threads;
  loaded->set_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const std::lock_guard lock(limit->mutex);
  if (--limit->n_guards > 0 || limit->former == 0) return;
  library.load(std::memory_order_acquire)->set_threads(limit->former);
  limit->former = 0;
}

}  // namespace gramian::blas
