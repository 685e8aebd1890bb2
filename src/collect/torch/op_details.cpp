#include "collect/torch/op_details.h"

#include "base/clock.h"
#include "record/collector.h"

namespace laptime::torch {

namespace {

struct Received {
  std::int64_t begin_ns;
  std::vector<OpDetail>& rows;
};

void receive(void* receiver, const LaptimeOpDetail* detail) {
  auto& [begin_ns, rows] = *static_cast<Received*>(receiver);
  rows.push_back({detail->thread,
                  record::part_ns(detail->start) - begin_ns,
                  detail->id,
                  {detail->text, detail->length}});
}

}  // namespace

OpDetails OpDetailSource::off(std::uint64_t begin) const {
  OpDetails details;
  Received received{record::part_ns(begin), details.rows};
  shim_.off(&received, &receive);
  details.duration_ns = record::part_ns(ticks()) - received.begin_ns;
  return details;
}

}  // namespace laptime::torch
