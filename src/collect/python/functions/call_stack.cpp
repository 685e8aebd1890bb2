#include "collect/python/functions/call_stack.h"

#include <algorithm>
#include <cstring>

namespace laptime::python {

std::size_t EdgeTable::hash(const FunctionCounter* caller, const FunctionCounter* callee) {
  const auto a = reinterpret_cast<std::uintptr_t>(caller),
             b = reinterpret_cast<std::uintptr_t>(callee);
  return (a * 0x9E3779B97F4A7C15u ^ b * 0xC2B2AE3D27D4EB4Fu) >> 20;
}

CallEdge* EdgeTable::find_or_add(FunctionCounter* caller, FunctionCounter* callee) {
  if (2 * (edges_.size() + 1) > table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hash(caller, callee) & mask;
  for (; table_[place] != nullptr; place = (place + 1) & mask) {
    if (table_[place]->caller == caller && table_[place]->callee == callee) return table_[place];
  }
  edges_.push_back(std::make_unique<CallEdge>());
  CallEdge* edge = edges_.back().get();
  edge->caller = caller;
  edge->callee = callee;
  return table_[place] = edge;
}

void EdgeTable::grow() {
  std::vector<CallEdge*> grown(table_.empty() ? 256 : 2 * table_.size());
  const std::size_t mask = grown.size() - 1;
  for (const auto& edge : edges_) {
    std::size_t place = hash(edge->caller, edge->callee) & mask;
    while (grown[place] != nullptr) place = (place + 1) & mask;
    grown[place] = edge.get();
  }
  table_ = std::move(grown);
}

FunctionCounter* CallLayer::function_of(const Callable* callable) {
  if (FunctionCounter* const known = by_id_.get(callable->id)) return known;
  FunctionCounter* const counter =
      functions_.emplace_back(std::make_unique<FunctionCounter>()).get();
  counter->callable = callable;
  by_id_.set(callable->id, counter);
  return counter;
}

// Null if its caller was open before the layer was.
CallEdge* CallLayer::edge_to(std::size_t depth, const OpenCall* call, FunctionCounter* function) {
  if (depth <= base_ + 1) return nullptr;
  FunctionCounter* const caller = function_of(call[-1].function->callable);
  CallEdge*& edge = function->latest_edge;
  if (edge == nullptr || edge->caller != caller) edge = edges_.find_or_add(caller, function);
  return edge;
}

void CallLayer::enter(std::size_t depth, const OpenCall* call) {
  FunctionCounter* const function = function_of(call->function->callable);
  ++function->depth;
  if (CallEdge* const edge = edge_to(depth, call, function)) ++edge->depth;
}

void CallLayer::leave(std::size_t depth, const OpenCall* call, std::uint64_t own,
                      std::uint64_t total) {
  if (depth <= base_) return;
  FunctionCounter* const function = function_of(call->function->callable);
  function->leave(own, total);
  if (CallEdge* const edge = edge_to(depth, call, function)) edge->leave(own, total);
}

void CallLayer::settle(std::size_t depth, const OpenCall* call, std::uint64_t own,
                       std::uint64_t total) {
  if (depth <= base_) return;
  FunctionCounter* const function = function_of(call->function->callable);
  const OpenCall* const first =
      call - (depth - base_ - 1);  // of the calls that began in this layer
  const auto is_same = [&](const OpenCall& outer) { return outer.function == call->function; };
  const bool outermost = std::none_of(first, call, is_same);
  function->own += own;
  if (outermost) function->cumulative += total;
  CallEdge* const edge = edge_to(depth, call, function);
  if (edge == nullptr) return;
  edge->own += own;
  if (outermost) edge->cumulative += total;
}

void CallStack::enter_layers() {
  for (CallLayer* const layer : layers_)
    layer->enter(static_cast<std::size_t>(top_ - calls_.get()), top_);
}

void CallStack::leave_layers(const OpenCall* call, std::uint64_t own, std::uint64_t total) {
  const auto depth = static_cast<std::size_t>(call - calls_.get());
  for (CallLayer* const layer : layers_) {
    layer->leave(depth, call, own, total);
    layer->base_ = std::min(layer->base_, depth - 1);
  }
}

void CallStack::open_layer(CallLayer& layer) {
  layer.base_ = static_cast<std::size_t>(top_ - calls_.get());
  layers_.push_back(&layer);
}

void CallStack::close_layer(CallLayer& layer, std::uint64_t now) {
  const auto place = std::find(layers_.begin(), layers_.end(), &layer);
  if (place == layers_.end()) return;
  layers_.erase(place);
  std::uint64_t callee_total = 0;
  for (const OpenCall* call = top_; call > calls_.get() + layer.base_; --call) {
    const std::uint64_t total = now - call->started;
    layer.leave(static_cast<std::size_t>(call - calls_.get()), call,
                total - call->inner - callee_total, total);
    callee_total = total;
  }
}

CallEdge* CallStack::switch_edge(FunctionCounter* caller, FunctionCounter* function) {
  return function->latest_edge = edges_.find_or_add(caller, function);
}

bool CallStack::unwind_to(const void* key, std::uint64_t now) {
  const OpenCall* found = top_;
  while (found != calls_.get() && found->key != key) --found;
  if (found == calls_.get()) return false;
  ++slips_;
  while (top_ != found) leave_top(now);
  return true;
}

void CallStack::reserve(std::size_t calls) {
  auto grown = std::make_unique<OpenCall[]>(calls);
  const std::size_t used = calls_ ? static_cast<std::size_t>(top_ - calls_.get()) + 1 : 1;
  if (calls_) std::memcpy(static_cast<void*>(grown.get()), calls_.get(), used * sizeof(OpenCall));
  calls_ = std::move(grown);
  capacity_ = calls;
  top_ = calls_.get() + used - 1;
  last_ = calls_.get() + calls - 1;
}

void CallStack::settle(std::uint64_t now) {
  for (OpenCall* call = calls_.get() + 1; call <= top_; ++call) {
    const std::uint64_t total = now - call->started;
    const std::uint64_t running_callee = call < top_ ? now - call[1].started : 0;
    const std::uint64_t own = total - call->inner - running_callee;
    call->function->own += own;
    if (call->outermost) call->function->cumulative += total;
    if (call->edge != nullptr) {
      call->edge->own += own;
      if (call->outermost_on_edge) call->edge->cumulative += total;
    }
    for (CallLayer* const layer : layers_)
      layer->settle(static_cast<std::size_t>(call - calls_.get()), call, own, total);
    call->started = now;
    call->inner = 0;
  }
}

void CallStack::forget(const void* key, std::uint64_t now) {
  settle(now);
  // Layers count open calls as ended: this is rare (a budget ran out), and simpler than adjusting
  // their positions.
  const std::vector<CallLayer*> layers = layers_;
  for (CallLayer* const layer : layers) close_layer(*layer, now);
  OpenCall* kept = calls_.get();
  for (OpenCall* call = calls_.get() + 1; call <= top_; ++call) {
    if (call->key != key) {
      *++kept = *call;
      continue;
    }
    call->function->leave(0, 0);
    if (call->edge != nullptr) call->edge->leave(0, 0);
  }
  top_ = kept;
  for (CallLayer* const layer : layers) open_layer(*layer);
}

}  // namespace laptime::python
