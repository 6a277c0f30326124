#include "preprocessing/words.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "parallel/parallel_for.hpp"
#include "random/mix.hpp"

namespace gramian::preprocessing {
namespace {

constexpr std::int64_t kTextsOfTask = 256;
constexpr double kNsPerByte = 4.0;

struct Word {
  std::uint64_t hash = 0;
  std::int64_t place = 0;
  std::int32_t length = 0;
};

bool is_letter(std::uint8_t byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || byte >= 128;
}

bool is_visible(std::uint8_t byte) { return byte > ' ' && byte != 127; }

// FNV-1a, whose low bits the finaliser spreads.
std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const std::uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3ULL;
  return mixed(hash);
}

void read_words(std::span<const std::uint8_t> bytes, std::int64_t begin, std::int64_t end,
                std::vector<Word>& words) {
  words.clear();
  for (std::int64_t i = begin; i < end;) {
    std::int64_t next = i + 1;
    if (is_letter(bytes[at(i)])) {
      while (next < end && is_letter(bytes[at(next)])) ++next;
    } else if (!is_visible(bytes[at(i)])) {
      i = next;
      continue;
    }
    const auto word = bytes.subspan(at(i), at(next - i));
    words.push_back({hash_of(word), i, static_cast<std::int32_t>(next - i)});
    i = next;
  }
  std::ranges::sort(words, [](const Word& a, const Word& b) {
    return a.hash != b.hash ? a.hash < b.hash : a.place < b.place;
  });
}

void append_counts(const std::vector<Word>& words, WordCounts& out) {
  for (std::size_t i = 0; i < words.size();) {
    std::size_t next = i + 1;
    while (next < words.size() && words[next].hash == words[i].hash) ++next;
    out.hashes.push_back(words[i].hash);
    out.counts.push_back(static_cast<std::int32_t>(next - i));
    out.places.push_back(words[i].place);
    out.lengths.push_back(words[i].length);
    i = next;
  }
  out.first.push_back(std::ssize(out.hashes));
}

template <class T>
void append(std::vector<T>& all, const std::vector<T>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

}  // namespace

WordCounts count_words(std::span<const std::uint8_t> bytes, std::span<const std::int64_t> offsets,
                       const Context& ctx) {
  const Chunks chunks = Chunks::of_rows(std::ssize(offsets) - 1, kTextsOfTask);
  std::vector<WordCounts> parts(at(chunks.count()));
  const double cost_ns = kNsPerByte * static_cast<double>(bytes.size());
  parallel_for(ctx, chunks.count(), cost_ns, [&](std::int64_t task) {
    std::vector<Word> words;
    for (std::int64_t i = chunks.begin(task); i < chunks.end(task); ++i) {
      ctx.check();
      read_words(bytes, offsets[at(i)], offsets[at(i) + 1], words);
      append_counts(words, parts[at(task)]);
    }
  });
  WordCounts all;
  all.first.push_back(0);
  for (const WordCounts& part : parts) {
    const std::int64_t before = std::ssize(all.hashes);
    for (const std::int64_t end : part.first) all.first.push_back(before + end);
    append(all.hashes, part.hashes);
    append(all.counts, part.counts);
    append(all.places, part.places);
    append(all.lengths, part.lengths);
  }
  return all;
}

}  // namespace gramian::preprocessing
