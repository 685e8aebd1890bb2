// Turns an event of a plane into a span: its kind, name and arguments.
#pragma once

#include <cstdint>
#include <string_view>

#include "xplane/plane_names.h"
#include "xplane/span_row.h"
#include "xplane/stat_value.h"

namespace laptime {

enum class PlaneType : std::uint8_t { host, gpu, accelerator };

class EventDecoder {
 public:
  // Contract: both outlive this.
  EventDecoder(PlaneNames& names, SpanTexts& texts)
      : names_(names),
        texts_(texts),
        op_key_(named_key(texts.text("op"))),
        pipeline_key_(named_key(texts.text("pipeline"))) {}

  void set_type(PlaneType type) { type_ = type; }

  // Begins a row: its kind.
  void begin(PlaneEventName& name, SpanRow& row);
  // Adds what a stat says. Throws protozero::exception for damaged bytes.
  void add_stat(protozero::data_view stat, SpanRow& row);
  // Gives the row its name, and adds what the name says.
  void finish(SpanRow& row);

  // What the stat "id" of a host's event said: a run of a function, an iterator. 0: none.
  std::uint64_t run_id() const { return id_; }
  // The row is a call that the profiler notes twice, one within the other.
  bool is_twofold() const { return twofold_; }

 private:
  void add_host_stat(const StatValue& value, SpanRow& row);
  void add_gpu_stat(const StatValue& value, SpanRow& row);
  void add_stage_stat(const StatValue& value, SpanRow& row);
  void add_memory_stat(const StatValue& value, SpanRow& row);
  void add_copy(const StatValue& value, SpanRow& row);
  void add_kernel(const StatValue& value, SpanRow& row);
  void add_shapes(const StatValue& value, SpanRow& row);
  ArgKey key_of(const StatValue& value);
  void add_text_arg(ArgKey key, const StatValue& value, SpanRow& row);
  std::uint32_t text_of(const StatValue& value);

  PlaneNames& names_;
  SpanTexts& texts_;
  const ArgKey op_key_, pipeline_key_;
  PlaneType type_ = PlaneType::host;
  PlaneEventName* name_ = nullptr;  // of the current event
  std::uint64_t id_ = 0;
  bool twofold_ = false;
};

// The type of an XLA instruction: "dot" of "dot.3", "fusion" of "fusion.12.clone".
std::string_view instruction_type(std::string_view instruction);

}  // namespace laptime
