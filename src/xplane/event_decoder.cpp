#include "xplane/event_decoder.h"

#include <charconv>
#include <string>

#include "format/names.h"
#include "xplane/gpu_details.h"

namespace laptime {

namespace {

bool is_memory(SpanKind kind) { return kind == SpanKind::allocate || kind == SpanKind::release; }

// By the allocator's name: "GPU_0_bfc", "mklcpu".
Device device_of(std::string_view allocator) {
  constexpr std::string_view kGpu = "GPU_";
  if (!allocator.starts_with(kGpu)) return {};
  std::uint32_t index = 0;
  std::from_chars(allocator.data() + kGpu.size(), allocator.data() + allocator.size(), index);
  return {DeviceKind::cuda, index};
}

}  // namespace

std::string_view instruction_type(std::string_view instruction) {
  constexpr std::string_view kClone = ".clone";
  for (;;) {
    if (instruction.ends_with(kClone)) instruction.remove_suffix(kClone.size());
    const auto dot = instruction.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 == instruction.size() ||
        instruction.find_first_not_of("0123456789", dot + 1) != std::string_view::npos)
      return instruction;
    instruction = instruction.substr(0, dot);
  }
}

std::uint32_t EventDecoder::text_of(const StatValue& value) {
  if (!value.reference) return texts_.text(value.text);
  if (value.reference->name_id == 0) value.reference->name_id = texts_.text(value.text);
  return value.reference->name_id;
}

ArgKey EventDecoder::key_of(const StatValue& value) {
  if (value.stat->name_id == 0) value.stat->name_id = texts_.text(value.stat->name);
  return named_key(value.stat->name_id);
}

void EventDecoder::add_text_arg(ArgKey key, const StatValue& value, SpanRow& row) {
  if (const std::uint32_t id = text_of(value)) row.add(key, ArgType::string, id);
}

void EventDecoder::begin(PlaneEventName& name, SpanRow& row) {
  name_ = &name;
  id_ = 0;
  twofold_ = name.kind.is_twofold;
  row.kind = type_ == PlaneType::host ? name.kind.kind : SpanKind::kernel;
}

void EventDecoder::add_stat(protozero::data_view stat, SpanRow& row) {
  const StatValue value = read_stat(stat, names_);
  if (type_ != PlaneType::host)
    add_gpu_stat(value, row);
  else if (row.kind == SpanKind::stage)
    add_stage_stat(value, row);
  else if (is_memory(row.kind))
    add_memory_stat(value, row);
  else
    add_host_stat(value, row);
}

void EventDecoder::add_host_stat(const StatValue& value, SpanRow& row) {
  switch (value.role()) {
    case StatRole::step_num:
      row.kind = SpanKind::step;
      break;
    case StatRole::correlation_id:
      row.link = LaunchLink::pack(0, static_cast<std::uint32_t>(value.number));
      row.kind = name_->full_name.find("Synchronize") == std::string_view::npos ? SpanKind::launch
                                                                                : SpanKind::sync;
      break;
    case StatRole::function_call:
      row.kind = SpanKind::dispatch;
      twofold_ = true;
      break;
    case StatRole::id:
      id_ = value.number;
      break;
    case StatRole::hlo_op:
      row.kind = SpanKind::op;
      row.name = texts_.text(instruction_type(value.text));
      add_text_arg(op_key_, value, row);
      break;
    case StatRole::hlo_module:
      add_text_arg(key_of(value), value, row);
      break;
    case StatRole::tensor_shapes:
      add_shapes(value, row);
      break;
    default:
      break;
  }
}

void EventDecoder::add_stage_stat(const StatValue& value, SpanRow& row) {
  switch (value.role()) {
    case StatRole::id:
    case StatRole::parent_id:
    case StatRole::buffered_elements:
    case StatRole::parallelism:
    case StatRole::num_parallel_calls:
      row.add(key_of(value), ArgType::integer, value.number);
      break;
    case StatRole::autotune:
      add_text_arg(key_of(value), value, row);
      break;
    default:
      break;
  }
}

void EventDecoder::add_memory_stat(const StatValue& value, SpanRow& row) {
  switch (value.role()) {
    case StatRole::allocator:
      row.name = texts_.device(device_of(value.text));
      break;
    case StatRole::address:
      row.link = value.number;
      break;
    case StatRole::allocated_bytes:
      row.add(ArgKey::bytes, ArgType::integer, value.number);
      break;
    default:
      break;
  }
}

void EventDecoder::add_gpu_stat(const StatValue& value, SpanRow& row) {
  switch (value.role()) {
    case StatRole::correlation_id:
      row.link = LaunchLink::pack(0, static_cast<std::uint32_t>(value.number));
      break;
    case StatRole::hlo_op:
    case StatRole::hlo_module:
      add_text_arg(key_of(value), value, row);
      break;
    case StatRole::tf_op:
      add_text_arg(op_key_, value, row);
      break;
    case StatRole::tensor_shapes:
      add_shapes(value, row);
      break;
    case StatRole::kernel_details:
      add_kernel(value, row);
      break;
    case StatRole::memcpy_details:
    case StatRole::memset_details:
      if (type_ == PlaneType::gpu) add_copy(value, row);
      break;
    case StatRole::graph_node:
      row.add(ArgKey::graph_node, ArgType::integer, GraphNodeLink::pack(value.number));
      break;
    default:
      break;
  }
}

void EventDecoder::add_shapes(const StatValue& value, SpanRow& row) {
  const TensorTexts tensors = tensor_texts(value.text);
  if (tensors.shapes.empty()) return;
  row.add(ArgKey::shapes, ArgType::string, texts_.text(tensors.shapes));
  row.add(ArgKey::types, ArgType::string, texts_.text(tensors.types));
}

void EventDecoder::add_kernel(const StatValue& value, SpanRow& row) {
  std::uint32_t config = value.reference ? value.reference->config : 0;
  if (config == 0) {
    const auto parsed = launch_config_of(value.text);
    if (!parsed) return;
    config = texts_.launch_config(*parsed);
    if (value.reference) value.reference->config = config;
  }
  row.add(ArgKey::launch_config, ArgType::launch_config, config);
}

void EventDecoder::add_copy(const StatValue& value, SpanRow& row) {
  const CopyDetails details = copy_details_of(value.text, name_->full_name);
  const bool fill = value.role() == StatRole::memset_details;
  row.kind = fill ? SpanKind::fill : SpanKind::copy;
  row.name = texts_.text(fill ? fill_name(details.copy.target) : copy_name(details.copy));
  row.add(ArgKey::bytes, ArgType::integer, details.bytes);
  row.add(ArgKey::copy, ArgType::integer, details.copy.pack());
}

void EventDecoder::finish(SpanRow& row) {
  if (row.kind == SpanKind::step) row.name = texts_.text(phase_of_marker(name_->full_name));
  if (row.name == 0 && is_memory(row.kind)) row.name = texts_.device({});
  if (row.name == 0) {
    if (name_->name_id == 0)
      name_->name_id = texts_.text(type_ == PlaneType::host ? name_->kind.name : name_->full_name);
    row.name = name_->name_id;
  }
  if (type_ != PlaneType::host || name_->kind.detail.empty() || row.kind != name_->kind.kind)
    return;
  if (name_->detail_id == 0) name_->detail_id = texts_.text(name_->kind.detail);
  row.add(row.kind == SpanKind::stage ? pipeline_key_ : op_key_, ArgType::string, name_->detail_id);
}

}  // namespace laptime
