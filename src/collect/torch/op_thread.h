// What one thread keeps of its ops: those under way, and the names it met.
//
// Assumption: ATen's operators, and so their schemas, live as long as torch; those that a program registers may go, names of autograd nodes
// and user scopes dangle, and their address soon holds another. Consequence: an operator of ATen's is known by its schema's address;
// of other names the address only says where to look, and the text is compared every time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// AddressSanitizer knows where a text ends; the plain comparison is for it.
#if defined(__SSE2__) && !defined(__SANITIZE_ADDRESS__)
#define LAPTIME_COMPARES_BY_SSE2 1
#include <emmintrin.h>
#endif

#include "collect/torch/input_hash.h"
#include "collect/torch/place_guards.h"
#include "format/record.h"
#include "record/lane.h"

namespace laptime::torch {

enum class FlopRule : std::uint8_t {
  none, conv2d, matrix_product, added_matrix_product, batched_product, added_batched_product, elementwise, attention
};

// What an op's name and scope say about it, as the hot path copies it: in one word each.
struct OpTraits {
  // Of those inside: an op's belong to its place; a backward node's are not at the place of the frames that called it;
  // an annotation's and a user function's have places of their own.
  static constexpr std::uint32_t kContainsOps = 1, kBackward = 2;

  static constexpr std::uint32_t pack(std::uint32_t bits, FlopRule rule) { return bits | static_cast<std::uint32_t>(rule) << 8; }
  static constexpr FlopRule flops(std::uint32_t traits) { return static_cast<FlopRule>(traits >> 8); }
};

// The last eight bytes of an op's RawUnit.
struct OpTail {
  std::uint32_t name;    // record::intern
  std::uint16_t inputs;  // record::add_args; 0: not described
  SpanKind kind;
  UnitType type;

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
static_assert(sizeof(OpTail) == 8 && offsetof(RawUnit, name) == 24 && offsetof(RawUnit, track) == 28 && offsetof(RawUnit, kind) == 30 && offsetof(RawUnit, type) == 31);

// What a name says of an op of scope FUNCTION.
struct OpFacts {
  std::uint64_t tail = 0;    // OpTail
  std::uint32_t traits = 0;  // OpTraits
};

inline bool is_of_aten(const char* name) { return std::strncmp(name, "aten::", 6) == 0; }

// Operators whose schemas' addresses fall together, the last one first: one cache line.
struct alignas(64) OpSchemas {
  static constexpr std::size_t kWays = 2;

  const void* addresses[kWays] = {};
  OpFacts facts[kWays];

  const OpFacts* find(const void* schema) const {
    if (schema == nullptr) return nullptr;
    return addresses[0] == schema ? &facts[0] : addresses[1] == schema ? &facts[1] : nullptr;
  }
  void keep(const void* schema, const OpFacts& known) {
    addresses[1] = addresses[0];
    facts[1] = facts[0];
    addresses[0] = schema;
    facts[0] = known;
  }
};
static_assert(sizeof(OpSchemas) == 64);

// A whole number of cache lines, so that finding the slot of a name is a shift and its comparison touches one.
struct alignas(64) OpName {
  static constexpr std::size_t kShort = 32;

  char beginning[kShort] = {};   // of the text
  std::uint32_t compared = 0;    // one bit for each of those characters that must be the same, the final 0 included
  OpFacts facts;
  const char* rest = nullptr;    // of a text that is longer; null: none

  // An empty entry equals nothing.
  bool is(const char* text) const {
    if (compared == 0) return false;
#if defined(LAPTIME_COMPARES_BY_SSE2)
    // Up to 32 bytes are read past the text's end; they are there unless a page ends before. The compiler must not hold the
    // length of a literal against that.
    asm("" : "+r"(text));
    constexpr std::uintptr_t kPage = 4096;
    if ((reinterpret_cast<std::uintptr_t>(text) & (kPage - 1)) <= kPage - kShort) [[likely]] {
      const auto* const here = reinterpret_cast<const __m128i*>(beginning);
      const auto* const there = reinterpret_cast<const __m128i*>(text);
      const auto low = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(here), _mm_loadu_si128(there)));
      const auto high = _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(here + 1), _mm_loadu_si128(there + 1)));
      const std::uint32_t same = static_cast<std::uint32_t>(low) | static_cast<std::uint32_t>(high) << 16;
      if ((same & compared) != compared) return false;
      return rest == nullptr || std::strcmp(rest, text + kShort) == 0;
    }
#endif
    return std::strncmp(beginning, text, kShort) == 0 && (rest == nullptr || std::strcmp(rest, text + kShort) == 0);
  }
};

struct alignas(64) OpEntry {
  const void* function;  // torch's object: the same at begin and end
  std::uint64_t start;
  std::uint64_t link;    // OpLink
  std::uint64_t tail;    // OpTail
  const void* outer_floor;  // of backward nodes: the floor outside of it
  std::uint32_t traits;  // OpTraits
};

struct OpThread {
  static constexpr std::size_t kNames = 256, kSchemas = 256, kInputWords = 4096;

  OpEntry* next = nullptr;  // one past the innermost
  OpEntry* first = nullptr;
  OpEntry* end = nullptr;
  record::Lane* lane = nullptr;
  std::uint64_t begun = 0;
  const void* floor = no_floor();  // inside a backward node: the frame that called it, null where there was none
  std::uint32_t ops = 0;           // entries that contain ops
  std::uint32_t op_place = 0;      // of the outermost of these
  void* place_memory = nullptr;
  // What stands before these is one cache line.
  alignas(64) PlaceGuards guards;
  KnownInputs inputs;
  OpSchemas schemas[kSchemas];
  OpName names[kNames];
  std::int64_t input_words[kInputWords];  // where inputs that are new are described

  // No frame has this address.
  static const void* no_floor() { return reinterpret_cast<const void*>(std::uintptr_t{1}); }
  OpSchemas& schema_slot(const void* schema) {
    constexpr std::uint64_t kSpread = 0x9E37'79B9'7F4A'7C15;  // operators lie at even distances
    static_assert(kSchemas == 256);
    return schemas[reinterpret_cast<std::uintptr_t>(schema) * kSpread >> 56];
  }
  OpName& name_slot(const char* text) {
    const auto address = reinterpret_cast<std::uintptr_t>(text);
    return names[(address >> 3 ^ address >> 11) % kNames];
  }
};

// For the self-test.
struct OpProbe {
  void (*begin)(const void* function, const char* name, std::int64_t sequence, std::uint64_t thread, std::uint32_t scope);
  void (*end)(const void* function);
};

// One op's inputs as a row of words: for each input a head, then its numbers.
//   head: bits 0-7 InputKind, 8-15 torch's ScalarType (tensors), 16-63 how many numbers or, for tensor lists, tensors follow
enum class InputKind : std::uint8_t {
  other = 0,        // nothing is known of it; no numbers
  tensor = 1,       // its sizes
  tensor_list = 2,  // a head and sizes for each tensor
  integers = 3,     // an int[]
  integer = 4,
  scalar = 5,       // a float, bool or complex; no numbers
  scalars = 6,      // a list of such; no numbers
};

}  // namespace laptime::torch
