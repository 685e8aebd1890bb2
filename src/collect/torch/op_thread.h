// The state of one thread's ops: those under way, and the names it knows.
//
// Assumption: ATen's operators, and so their schemas, live as long as torch. Operators that a
// program registers may be destroyed. Names of autograd nodes and user scopes dangle, and their
// addresses are reused soon. Consequence: the schema's address identifies an ATen operator, the
// text identifies other names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "collect/torch/call_site_guards.h"
#include "collect/torch/known_by_hash.h"
#include "format/record.h"
#include "record/cursor.h"

namespace laptime::torch {

enum class FlopRule : std::uint8_t {
  none,
  matrix_product,
  added_matrix_product,
  batched_product,
  added_batched_product,
  elementwise,
  convolution,
  transposed_convolution,
  any_convolution,  // one of its inputs says which
  convolution_backward,
  attention,
  attention_backward
};

// What the name and the scope of an op say about it. One word each, because the hot path copies
// them.
struct OpTraits {
  // How ops inside of this one get their call site. Ops inside of an op have its call site. Ops
  // inside of a backward node ignore the frames that called it. Ops inside of an annotation or a
  // user function have their own call sites.
  static constexpr std::uint32_t kContainsOps = 1, kBackward = 2;

  static constexpr std::uint32_t pack(std::uint32_t bits, FlopRule rule) {
    return bits | static_cast<std::uint32_t>(rule) << 8;
  }
  static constexpr FlopRule flops(std::uint32_t traits) {
    return static_cast<FlopRule>(traits >> 8);
  }
  static constexpr std::uint32_t without_flops(std::uint32_t traits) { return traits & 0xFF; }
};

// The last eight bytes of an op's RawRecord.
struct OpTail {
  std::uint32_t name;    // record::intern
  std::uint16_t inputs;  // record::add_args; 0: not described
  SpanKind kind;
  RecordType type;

  std::uint64_t word() const {
    std::uint64_t word;
    std::memcpy(&word, this, sizeof word);
    return word;
  }
  static OpTail of(std::uint64_t word) {
    OpTail tail;
    std::memcpy(&tail, &word, sizeof tail);
    return tail;
  }
  static std::uint64_t with_inputs(std::uint64_t word, std::uint16_t inputs) {
    OpTail tail = of(word);
    tail.inputs = inputs;
    return tail.word();
  }
};
static_assert(sizeof(OpTail) == 8 && offsetof(RawRecord, name) == 24 &&
              offsetof(RawRecord, track) == 28 && offsetof(RawRecord, kind) == 30 &&
              offsetof(RawRecord, type) == 31);

// What a name says about an op of scope FUNCTION.
struct OpFacts {
  std::uint64_t tail = 0;    // OpTail
  std::uint32_t traits = 0;  // OpTraits
};

inline bool is_of_aten(std::string_view name) { return name.starts_with("aten::"); }

// Operators whose schema addresses have the same slot, the most recent first. One cache line.
struct alignas(64) OpSchemas {
  static constexpr std::size_t kWays = 2;

  const void* addresses[kWays] = {};
  OpFacts facts[kWays];

  const OpFacts* find(const void* schema) const {
    if (schema == nullptr) [[unlikely]]
      return nullptr;
    if (addresses[0] == schema) [[likely]]
      return &facts[0];
    return addresses[1] == schema ? &facts[1] : nullptr;
  }
  void keep(const void* schema, const OpFacts& known) {
    addresses[1] = addresses[0];
    facts[1] = facts[0];
    addresses[0] = schema;
    facts[0] = known;
  }
};
static_assert(sizeof(OpSchemas) == 64);

// Past the limit, a name is described anew each time. So a program that numbers the names of its
// scopes does not fill its memory.
using KnownNames = KnownByHash<OpFacts, 1u << 14>;
using KnownInputs = KnownByHash<std::uint16_t, 1u << 16>;  // record::add_args; 0: not recorded

struct alignas(64) OpEntry {
  const void* function;  // torch's object: the same at begin and end
  std::uint64_t start;
  std::uint64_t link;       // OpLink
  std::uint64_t tail;       // OpTail
  const void* outer_floor;  // of backward nodes: the outer floor
  std::uint32_t traits;     // OpTraits
};

struct OpThread {
  static constexpr std::size_t kSchemas = 256, kInputWords = 4096;

  OpEntry* next = nullptr;  // one past the innermost
  OpEntry* first = nullptr;
  OpEntry* end = nullptr;
  record::Cursor* cursor = nullptr;
  std::uint64_t begun = 0;
  const void* floor = no_floor();  // in a backward node: the frame that called it, null for none
  std::uint32_t ops = 0;           // entries that contain ops
  std::uint32_t op_call_site = 0;  // of the outermost op of these
  void* call_site_memory = nullptr;
  // The fields before this one fill one cache line.
  alignas(64) CallSiteGuards guards;
  KnownNames names;
  KnownInputs inputs;
  OpSchemas schemas[kSchemas];
  std::int64_t input_words[kInputWords];  // room for the description of unknown inputs

  // No frame has this address.
  static const void* no_floor() { return reinterpret_cast<const void*>(std::uintptr_t{1}); }
  OpSchemas& schema_slot(const void* schema) {
    // operators have even distances in memory
    constexpr std::uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;
    static_assert(kSchemas == 256);
    return schemas[reinterpret_cast<std::uintptr_t>(schema) * kSpread >> 56];
  }
};

// For the self-test.
struct OpProbe {
  void (*begin)(const void* function, const char* name, std::int64_t sequence, std::uint64_t thread,
                std::uint32_t scope);
  void (*end)(const void* function);
};

// One op's inputs as a row of words. For each input a head, then its numbers.
// head: bits 0-7 InputKind, 8-15 torch's ScalarType (tensors), 16-63 the count of numbers or, for
// tensor lists, of tensors
enum class InputKind : std::uint8_t {
  other = 0,        // nothing is known; no numbers
  tensor = 1,       // its sizes
  tensor_list = 2,  // a head and sizes for each tensor
  integers = 3,     // an int[]; with recorded numbers also a bool[]
  integer = 4,      // an int; with recorded numbers also a bool
  scalar = 5,       // a float, bool or complex; no numbers
  scalars = 6,      // a list of scalars; no numbers
};

}  // namespace laptime::torch
