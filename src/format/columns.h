// Records as columns: the input of a block's encoder and the output of its decoder. Times are
// nanoseconds on the part's own clock.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bulk_vector.h"
#include "format/names.h"
#include "format/record.h"

namespace laptime {

// Arguments of spans, in span order; several may share a row.
struct ArgColumns {
  std::vector<std::uint32_t> row;
  std::vector<ArgKey> key;
  std::vector<ArgType> type;
  std::vector<std::uint64_t> value;  // int64, double bits, or an id, depending on `type`

  std::size_t size() const { return row.size(); }
};

struct SpanColumns {
  BulkVector<std::int64_t> start;
  BulkVector<std::int64_t> duration;  // never negative
  BulkVector<std::uint32_t> name;
  BulkVector<SpanKind> kind;
  BulkVector<std::uint64_t> link;  // empty if no span has one
  ArgColumns args;

  std::size_t size() const { return start.size(); }
  std::int64_t end(std::size_t i) const { return start[i] + duration[i]; }
};

struct ValueColumns {
  std::vector<std::int64_t> time;
  std::vector<std::uint32_t> name;
  std::vector<double> value;

  std::size_t size() const { return time.size(); }
};

// Counter deltas of one thread over one step. `code` is a code fact's id; `where` is a line, or the
// caller's code.
struct TallyColumns {
  std::vector<TallyKind> kind;
  std::vector<std::uint32_t> step, code, where;
  std::vector<std::uint64_t> hits, inclusive, exclusive, extra_hits, extra_ns;

  std::size_t size() const { return kind.size(); }
};

}  // namespace laptime
