// The rows of a tree in the order of every column, each sorted once: a node has its part of each,
// which is parted stably with the node, so that nothing is ever sorted again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/context.hpp"
#include "tree/search/search.hpp"

namespace gramian::tree {

class PresortedColumns : public SearchBase {
 public:
  // Memory to part a node in.
  struct PartScratch {
    std::vector<Record> records;
    std::vector<std::uint32_t> rows;
  };

  PresortedColumns(const Columns& columns, const Target& target, Sample& sample,
                   const Options& options, std::uint64_t seed, const Context& ctx);

 protected:
  std::span<const Record> records_of(const Node& node, std::int64_t feature) const {
    if (is_shared(node)) return columns_.sorted(feature);
    return {records_[static_cast<std::size_t>(feature)].data() + node.begin,
            static_cast<std::size_t>(node.size())};
  }

  bool is_constant(const Node& node, std::int64_t feature) const {
    const auto records = records_of(node, feature);
    return records.front().code == records.back().code;
  }

  // A column constant in a node is constant below it: it is neither scanned nor parted again.
  void drop_constant(Node& node) const;

  // Parts the rows and, if the children are to be searched, every column's records.
  void part(const Node& node, const Split& split, PartScratch& scratch, const Context& ctx);

 private:
  // The root of a tree with all rows reads the columns as they are; its children are the first to
  // have records of their own.
  bool is_shared(const Node& node) const { return is_whole_ && node.depth == 0; }

  void part_records(const Node& node, const Split& split, std::int64_t feature,
                    std::vector<Record>& moved);
  void part_shared(std::int64_t feature, std::int64_t n_left);

  std::vector<std::uint8_t> is_right_;  // by row number
  bool is_whole_;                       // all rows of the columns
  std::vector<Buffer<Record>> records_;
};

}  // namespace gramian::tree
