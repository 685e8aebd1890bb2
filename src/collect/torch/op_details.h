// Data about a profile session's ops that is not in their records: what a shim noted
// (details_abi.h), and the ops that had not ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collect/torch/details_abi.h"

namespace laptime::torch {

struct OpDetail {
  std::uint64_t thread;   // its kernel id
  std::int64_t start_ns;  // since the session's begin
  std::uint64_t id;       // torch's number of the op; 0: none
  std::string text;       // members of a JSON object without its braces
};

// Times are those of the recorder's clock. A loaded run may show the session slightly longer or
// shorter.
struct OpDetails {
  std::int64_t duration_ns = 0;
  std::vector<OpDetail> rows;
};

// Switches a shim's notes on and off.
class OpDetailSource {
 public:
  explicit OpDetailSource(const LaptimeDetailsShim& shim) : shim_(shim) {}

  bool enter(bool inputs) const { return shim_.enter(inputs ? 1 : 0) == 0; }
  void leave() const { shim_.leave(); }
  bool needs_ids() const { return shim_.needs_ids() != 0; }
  bool on(unsigned what) const { return shim_.on(what) == 0; }
  // `begin`: the session's begin, in ticks. Contract: a recording is on.
  OpDetails off(std::uint64_t begin) const;

 private:
  const LaptimeDetailsShim& shim_;
};

}  // namespace laptime::torch
