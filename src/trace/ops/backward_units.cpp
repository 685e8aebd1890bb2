#include "trace/ops/backward_units.h"

#include <algorithm>

namespace laptime {

bool BackwardUnits::need_again() {
  for (const auto* track : units_)
    for (const BackwardUnit& unit : *track) {
      const ForwardOp* last = unit.link == 0 ? nullptr : last_.find(unit.link);
      if (last && last->start_ns >= unit.start_ns) again_[unit.link] = {};
    }
  return again_.size() > 0;
}

void BackwardUnits::add_again(std::uint64_t link, const ForwardOp& op) {
  if (again_.find(link)) again_[link].push_back(op);
}

void BackwardUnits::resolve() {
  again_.for_each([](std::vector<ForwardOp>& ops) {
    std::stable_sort(ops.begin(), ops.end(), [](const ForwardOp& a, const ForwardOp& b) {
      return a.start_ns < b.start_ns;
    });
  });
  // In the order of ends, so that the unit before one without a link is already resolved.
  for (std::uint32_t t = 0; t < units_.size(); ++t)
    for (std::size_t i = units_[t]->size(); i-- > 0;) resolve({t, static_cast<std::uint32_t>(i)});
}

const ForwardOp* BackwardUnits::forward_of(const BackwardUnit& unit) const {
  if (const auto* ops = again_.find(unit.link)) {
    const auto after =
        std::lower_bound(ops->begin(), ops->end(), unit.start_ns,
                         [](const ForwardOp& op, std::int64_t t) { return op.start_ns < t; });
    return after == ops->begin() ? nullptr : &*(after - 1);
  }
  return last_.find(unit.link);
}

BackwardUnits::Source BackwardUnits::source_of(UnitId id) {
  const BackwardUnit& unit = at(id);
  if (unit.link == 0) {
    const bool has_previous = id.number + 1 < units_[id.track]->size();
    return has_previous ? Source{true, {id.track, id.number + 1}, 0} : Source{};
  }
  const ForwardOp* const op = forward_of(unit);
  if (!op) return {};
  return is_unit(op->code) ? Source{true, {op->track, unit_number(op->code)}, 0}
                           : Source{false, {}, op->code};
}

void BackwardUnits::resolve(UnitId id) {
  std::vector<UnitId> path;
  std::uint32_t call_site = 0;
  for (;;) {
    BackwardUnit& unit = at(id);
    if (unit.state != BackwardUnit::State::open) {
      call_site = unit.call_site;  // still unknown if damaged rows form a cycle
      break;
    }
    unit.state = BackwardUnit::State::resolving;
    path.push_back(id);
    const Source source = source_of(id);
    call_site = source.call_site;
    if (!source.is_unit) break;
    id = source.unit;
  }
  for (; !path.empty(); path.pop_back()) {
    BackwardUnit& unit = at(path.back());
    if (call_site == 0) call_site = unit.call_site_of_ops;
    unit.call_site = call_site;
    unit.state = BackwardUnit::State::done;
  }
}

}  // namespace laptime
