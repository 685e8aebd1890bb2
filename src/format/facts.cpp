#include "format/facts.h"

#include <optional>

namespace laptime {

namespace {

// Stable numbers: they are in files. The variant's order is not.
enum class FactType : std::uint8_t {
  string = 1,
  track = 2,
  property = 3,
  clock = 4,
  warning = 5,
  code = 6,
  call_site = 7,
  args = 8,
  frame = 9,
  source = 10,
  launch_config = 11,
  device_property = 12,
  device = 13
};

// Stable numbers too: of the types of a property's value.
enum class ValueType : std::uint8_t { text = 1, integer = 2, real = 3 };

struct ValueEncoder {
  ByteWriter& out;
  void operator()(std::string_view text) {
    out.u8(static_cast<std::uint8_t>(ValueType::text));
    out.string(text);
  }
  void operator()(std::int64_t integer) {
    out.u8(static_cast<std::uint8_t>(ValueType::integer));
    out.signed_varint(integer);
  }
  void operator()(double real) {
    out.u8(static_cast<std::uint8_t>(ValueType::real));
    out.f64(real);
  }
};

struct Encoder {
  ByteWriter out;
  void device(Device device) {
    out.u8(static_cast<std::uint8_t>(device.kind));
    out.varint(device.index);
  }
  FactType operator()(const StringFact& f) {
    out.varint(f.id);
    out.string(f.text);
    return FactType::string;
  }
  FactType operator()(const TrackFact& f) {
    out.varint(f.id);
    out.u8(static_cast<std::uint8_t>(f.kind));
    out.varint(f.os_id);
    out.varint(f.name);
    return FactType::track;
  }
  FactType operator()(const PropertyFact& f) {
    out.string(f.key);
    std::visit(ValueEncoder{out}, f.value);
    return FactType::property;
  }
  FactType operator()(const DevicePropertyFact& f) {
    device(f.device);
    out.string(f.key);
    std::visit(ValueEncoder{out}, f.value);
    return FactType::device_property;
  }
  FactType operator()(const DeviceFact& f) {
    out.varint(f.name);
    device(f.device);
    return FactType::device;
  }
  FactType operator()(const ClockFact& f) {
    out.signed_varint(f.part_ns);
    out.signed_varint(f.monotonic_ns);
    out.signed_varint(f.realtime_ns);
    return FactType::clock;
  }
  FactType operator()(const WarningFact& f) {
    out.varint(f.index);
    out.u8(static_cast<std::uint8_t>(f.severity));
    out.varint(f.count);
    out.string(f.name);
    out.string(f.message);
    return FactType::warning;
  }
  FactType operator()(const CodeFact& f) {
    out.varint(f.id);
    out.varint(f.file);
    out.varint(f.name);
    out.varint(f.first_line);
    out.varint(f.flags);
    return FactType::code;
  }
  FactType operator()(const CallSiteFact& f) {
    out.varint(f.id);
    out.varint(f.code);
    out.varint(f.line);
    out.varint(f.module);
    if (f.frame != 0) out.varint(f.frame);
    return FactType::call_site;
  }
  FactType operator()(const CallFrameFact& f) {
    out.varint(f.id);
    out.varint(f.caller);
    out.varint(f.code);
    out.varint(f.line);
    return FactType::frame;
  }
  FactType operator()(const SourceFact& f) {
    out.varint(f.file);
    out.varint(f.raw_size);
    out.string(f.stored);
    return FactType::source;
  }
  FactType operator()(const LaunchConfigFact& f) {
    out.varint(f.id);
    for (const std::uint32_t n : f.config.grid) out.varint(n);
    for (const std::uint32_t n : f.config.block) out.varint(n);
    out.varint(f.config.registers);
    out.varint(f.config.static_shared);
    out.varint(f.config.dynamic_shared);
    return FactType::launch_config;
  }
  FactType operator()(const ArgsFact& f) {
    out.varint(f.id);
    out.varint(f.args.size());
    for (const SharedArg& arg : f.args) {
      out.varint(stored_key(arg.key));
      out.u8(static_cast<std::uint8_t>(arg.type));
      out.varint(arg.value);
    }
    return FactType::args;
  }
};

std::uint32_t id32(ByteReader& in) { return static_cast<std::uint32_t>(in.varint()); }

ArgsFact decode_args(ByteReader& in) {
  ArgsFact fact{id32(in), {}};
  for (std::uint64_t left = in.varint(); left > 0 && !in.failed(); --left)
    fact.args.push_back({key_from_stored(in.varint()), static_cast<ArgType>(in.u8()), in.varint()});
  return fact;
}

Device decode_device(ByteReader& in) { return {static_cast<DeviceKind>(in.u8()), id32(in)}; }

// Nothing for a type that a later version has.
std::optional<PropertyValue> decode_value(ByteReader& in) {
  switch (static_cast<ValueType>(in.u8())) {
    case ValueType::text:
      return in.string();
    case ValueType::integer:
      return in.signed_varint();
    case ValueType::real:
      return in.f64();
  }
  return std::nullopt;
}

std::optional<Fact> decode_property(ByteReader& in) {
  const std::string_view key = in.string();
  const auto value = decode_value(in);
  return value ? std::optional<Fact>(PropertyFact{key, *value}) : std::nullopt;
}

std::optional<Fact> decode_device_property(ByteReader& in) {
  const Device device = decode_device(in);
  const std::string_view key = in.string();
  const auto value = decode_value(in);
  return value ? std::optional<Fact>(DevicePropertyFact{device, key, *value}) : std::nullopt;
}

std::optional<Fact> decode(FactType type, ByteReader& in) {
  // Braced initialisers read their fields left to right.
  switch (type) {
    case FactType::string:
      return StringFact{id32(in), in.string()};
    case FactType::track:
      return TrackFact{id32(in), static_cast<TrackKind>(in.u8()), in.varint(), id32(in)};
    case FactType::property:
      return decode_property(in);
    case FactType::device_property:
      return decode_device_property(in);
    case FactType::device:
      return DeviceFact{id32(in), decode_device(in)};
    case FactType::clock:
      return ClockFact{in.signed_varint(), in.signed_varint(), in.signed_varint()};
    case FactType::warning:
      return WarningFact{id32(in), static_cast<Severity>(in.u8()), in.varint(), in.string(),
                         in.string()};
    case FactType::code:
      return CodeFact{id32(in), id32(in), id32(in), id32(in), id32(in)};
    case FactType::call_site:
      return CallSiteFact{id32(in), id32(in), id32(in), id32(in),
                          in.remaining() > 0 ? id32(in) : 0};
    case FactType::args:
      return decode_args(in);
    case FactType::frame:
      return CallFrameFact{id32(in), id32(in), id32(in), id32(in)};
    case FactType::launch_config:
      return LaunchConfigFact{id32(in),
                              {{id32(in), id32(in), id32(in)},
                               {id32(in), id32(in), id32(in)},
                               id32(in),
                               id32(in),
                               id32(in)}};
    case FactType::source:
      return SourceFact{id32(in), id32(in), in.string()};
  }
  return std::nullopt;
}

}  // namespace

void append_fact(Bytes& out, const Fact& fact) {
  Bytes fields;
  const FactType type = std::visit(Encoder{ByteWriter(fields)}, fact);
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(type));
  writer.varint(fields.size());
  writer.append(fields.data(), fields.size());
}

bool for_each_fact(ByteView payload, const std::function<void(const Fact&)>& visit) {
  ByteReader in(payload);
  while (in.remaining() > 0) {
    const auto type = static_cast<FactType>(in.u8());
    ByteReader fields(in.bytes(in.varint()));
    if (in.failed()) return false;
    const auto fact = decode(type, fields);
    if (fact && fields.failed()) return false;
    if (fact) visit(*fact);
  }
  return true;
}

}  // namespace laptime
