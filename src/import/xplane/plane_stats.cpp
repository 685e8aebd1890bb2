// What stats say of an event or of a whole plane.
#include <string>

#include "format/names.h"
#include "import/xplane/gpu_details.h"
#include "import/xplane/plane_import.h"

namespace laptime {

std::uint32_t PlaneImport::text_of(const StatValue& value) {
  if (!value.reference) return part_.text(value.text);
  if (value.reference->name_id == 0) value.reference->name_id = part_.text(value.text);
  return value.reference->name_id;
}

void PlaneImport::add_text_arg(std::string_view key, const StatValue& value, SpanRow& row) {
  if (const std::uint32_t id = text_of(value))
    row.add(named_key(part_.text(key)), ArgType::string, id);
}

void PlaneImport::add_stat(const StatValue& value, const PlaneEventName& name, SpanRow& row) {
  switch (value.role()) {
    case StatRole::step_num:
      if (type_ == Type::host) row.kind = SpanKind::step;
      break;
    case StatRole::correlation_id:
      row.link = LaunchLink::pack(0, static_cast<std::uint32_t>(value.number));
      if (type_ == Type::host)
        row.kind = name.full_name.find("Synchronize") == std::string_view::npos ? SpanKind::launch
                                                                                : SpanKind::sync;
      break;
    case StatRole::hlo_op:
      if (type_ == Type::host)
        row.kind = SpanKind::op;
      else
        add_text_arg("hlo_op", value, row);
      break;
    case StatRole::hlo_module:
      add_text_arg("hlo_module", value, row);
      break;
    case StatRole::tf_op:
      if (type_ != Type::host) add_text_arg("op", value, row);
      break;
    case StatRole::tensor_shapes: {
      const TensorTexts texts = tensor_texts(value.text);
      if (texts.shapes.empty()) break;
      row.add(ArgKey::shapes, ArgType::string, part_.text(texts.shapes));
      row.add(ArgKey::types, ArgType::string, part_.text(texts.types));
      break;
    }
    case StatRole::kernel_details:
      add_kernel(value, row);
      break;
    case StatRole::memcpy_details:
    case StatRole::memset_details:
      if (type_ == Type::gpu) add_copy(value, name, row);
      break;
    case StatRole::graph_node:
      row.add(ArgKey::graph_node, ArgType::integer, GraphNodeLink::pack(value.number));
      break;
    default:
      break;
  }
}

void PlaneImport::add_kernel(const StatValue& value, SpanRow& row) {
  std::uint32_t config = value.reference ? value.reference->config : 0;
  if (config == 0) {
    const auto parsed = launch_config_of(value.text);
    if (!parsed) return;
    config = part_.launch_config(*parsed);
    if (value.reference) value.reference->config = config;
  }
  row.add(ArgKey::launch_config, ArgType::launch_config, config);
}

void PlaneImport::add_copy(const StatValue& value, const PlaneEventName& name, SpanRow& row) {
  const CopyDetails details = copy_details_of(value.text, name.full_name);
  const bool fill = value.role() == StatRole::memset_details;
  row.kind = fill ? SpanKind::fill : SpanKind::copy;
  row.name = part_.text(fill ? fill_name(details.copy.target) : copy_name(details.copy));
  row.add(ArgKey::bytes, ArgType::integer, details.bytes);
  row.add(ArgKey::copy, ArgType::integer, details.copy.pack());
}

void PlaneImport::add_plane_stat(const StatValue& value) {
  switch (value.role()) {
    case StatRole::process_id:
      part_.set_property(property::kPid, static_cast<std::int64_t>(value.number));
      break;
    case StatRole::profile_start_time:
      if (value.number < static_cast<std::uint64_t>(INT64_MAX))
        times_.profile_start = static_cast<std::int64_t>(value.number);
      break;
    case StatRole::device_name:
      if (type_ == Type::gpu)
        part_.set_device_property({DeviceKind::cuda, device_}, device_property::kName, value.text);
      break;
    case StatRole::compute_major:
      major_ = value.number;
      break;
    case StatRole::compute_minor:
      minor_ = value.number;
      break;
    default:
      break;
  }
}

}  // namespace laptime
