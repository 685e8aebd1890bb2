// The raw record: what a thread stores on the program's hot path, before any encoding.
//
//   byte 0        8        16       24    28    30   31   32
//        | start  |  end   |  link  |name |track|kind|type|
//
// Assumption: one thread writes a slot, in order, and publishes with one release of
// SlotHeader::used. Consequence: everything below `used` is complete, however the process ended. A
// group of records (a span with arguments, a tally) is never split over two slots.
#pragma once

#include <cstdint>

namespace laptime {

enum class RecordType : std::uint8_t {
  none = 0,
  span = 1,   // start, end: ticks; link: shared by spans that belong together, 0 none
  value = 2,  // start: ticks; end: the bits of a double
  // 3 is free.
  arg = 4,  // belongs to the span before it; name: ArgKey; end: payload; kind: ArgType
  tally =
      5,  // start: hits; end: inclusive ticks; link: exclusive ticks; name: code; kind: TallyKind
  tally_more = 6,  // second half: start: step; end: extra count; link: extra ticks; name: line or
                   // caller; `track` of both halves, low and high, is the thread's that it counts
                   // for, 0 the slot's own
  op = 7,          // a framework's op: start, end: ticks; link: OpLink; kind: SpanKind; track: its
                   // arguments (ArgsFact), 0 none; always on the slot's track
  memory = 8,  // start: ticks; end: bytes; link: address; name: device; kind: SpanKind::allocate or
               // release
  launch = 9,  // a call that gives work to a GPU: start: ticks; end, track: LaunchRecord; link:
               // OpLink; always on the slot's track
};

// What a span is. Stable numbers: they are in files.
enum class SpanKind : std::uint8_t {
  scope = 0,     // named by the user
  step = 1,      // one step
  function = 2,  // a call of a Python function, imported from another profiler
  op = 3,
  backward = 4,
  kernel = 5,
  copy = 6,
  fill = 7,
  sync = 8,
  launch = 9,
  loader = 10,  // waiting for input
  compile = 11,
  gc = 12,
  optimizer = 13,
  dispatch = 14,  // a call of a compiled function (tf.function, jax.jit): the framework may run its
                  // ops on threads of its own, and the caller may wait for them
  // Instants about memory: link is the address, ArgKey::bytes the size.
  allocate = 15,
  release = 16,
  tensor_role = 17,  // name: parameter, gradient, optimizer state, input
  annotation = 18,   // a region that the program named to its framework (record_function), or the
                     // framework itself
  stage = 19,        // a stage of an input pipeline (tf.data) makes an element
  wait = 20,  // the program waits for a result of a compiled function (block_until_ready, float(x))
};
// Instants carry data, not time: they are no part of the program's work.
inline bool is_instant(SpanKind kind) {
  return kind == SpanKind::allocate || kind == SpanKind::release || kind == SpanKind::tensor_role;
}

// The type of an argument's value: an int64, the bits of a double, or the id of a fact.
enum class ArgType : std::uint8_t {
  integer = 0,
  // 1 is free.
  string = 2,
  call_site = 3,
  launch_config = 4
};
// In a tally's step: what was counted before that step began and after the one before it ended.
inline constexpr std::uint32_t kBeforeStep = 1u << 31;

// line: `where` is a line of the code. call: the function's own totals; `where` is 0. edge: the
// part that was called from the code `where`. With recursion, edges do not add up to the function,
// so both are kept (as in pstats).
enum class TallyKind : std::uint8_t { line = 0, call = 1, edge = 2 };

// RecordType::op fits into one record. Readers see a span with an autograd link, ArgKey::call_site
// if the call site is known, and the arguments that many ops share.
//   bit 63     40 39     32 31       0
//       | call site  | thread  | seq + 1 |
// call site: CallSiteFact, 0 unknown. thread: that of the forward pass. seq + 1: 0 for no sequence
// number.
struct OpLink {
  static constexpr std::uint32_t kMaxCallSite = (1u << 24) - 1;
  static constexpr std::uint64_t pack(std::uint32_t call_site, std::uint8_t thread,
                                      std::int64_t sequence) {
    const auto number = sequence < 0 ? 0u : static_cast<std::uint32_t>(sequence + 1);
    return static_cast<std::uint64_t>(call_site) << 40 | static_cast<std::uint64_t>(thread) << 32 |
           number;
  }
  static constexpr std::uint32_t call_site(std::uint64_t packed) {
    return static_cast<std::uint32_t>(packed >> 40);
  }
  // The link of the autograd node that an op made, and of the backward op that runs it. Equal
  // within a process. 0: none.
  static constexpr std::uint64_t autograd(std::uint64_t packed) {
    return static_cast<std::uint32_t>(packed) == 0 ? 0 : kAutograd | (packed & 0xFF'FFFF'FFFFull);
  }
  static constexpr std::uint64_t kAutograd = 1ull << 63;
};

// The link that a launch shares with its kernels and copies. Equal within a process. CUPTI counts
// launches in 32 bits and may restart when it is set up again, so `generation` counts the set-ups.
// Numbers repeat in a long run: the link means the last launch that began before the kernel.
struct LaunchLink {
  static constexpr std::uint64_t kLaunch = 1ull << 62;
  static constexpr std::uint64_t pack(std::uint32_t generation, std::uint32_t correlation) {
    return kLaunch | static_cast<std::uint64_t>(generation & kMaxGeneration) << 32 | correlation;
  }
  static constexpr bool is(std::uint64_t link) { return (link & (3ull << 62)) == kLaunch; }
  static constexpr std::uint32_t kMaxGeneration = (1u << 15) - 1;
};
// The link of a node of a CUDA graph. The instant of the node's capture has it, and the node's work
// has it as an argument.
struct GraphNodeLink {
  static constexpr std::uint64_t kGraphNode = 1ull << 61;
  static constexpr std::uint64_t pack(std::uint64_t node) {
    return kGraphNode | (node & (kGraphNode - 1));
  }
};

// RecordType::launch fits into one record. Readers see a span of kind launch with a launch link and
// up to two arguments: ArgKey::call_site, and ArgKey::autograd, LaunchNode.
//   end    bit 63     32 31        0        track  bit 15        1 0
//              | number  | duration |                  | generation | backward |
// duration: ticks, at most 2^32 - 1.
struct LaunchRecord {
  static constexpr std::uint64_t end(std::uint64_t ticks, std::uint32_t correlation) {
    return static_cast<std::uint64_t>(correlation) << 32 |
           (ticks < 0xFFFF'FFFFull ? ticks : 0xFFFF'FFFFull);
  }
  static constexpr std::uint16_t track(std::uint32_t generation, bool backward) {
    return static_cast<std::uint16_t>((generation & LaunchLink::kMaxGeneration) << 1 |
                                      (backward ? 1 : 0));
  }
  static constexpr std::uint64_t duration(std::uint64_t end) { return end & 0xFFFF'FFFFull; }
  static constexpr std::uint64_t link(std::uint64_t end, std::uint16_t track) {
    return LaunchLink::pack(track >> 1, static_cast<std::uint32_t>(end >> 32));
  }
};
// Autograd's state at a launch. For backward without a call site: the node that ran the launch.
// Otherwise: the last node made on the thread. It is the launch's own if this is the first launch
// after the node was made.
//   bit 63          9 8      1 0
//       | sequence + 1 | thread | backward |
struct LaunchNode {
  static constexpr std::int64_t pack(std::uint64_t op_link, bool backward) {
    return static_cast<std::int64_t>((op_link & 0xFFFF'FFFFull) << 9 | (op_link >> 32 & 0xFF) << 1 |
                                     (backward ? 1 : 0));
  }
  static constexpr bool backward(std::int64_t packed) { return packed & 1; }
  // The same as OpLink::autograd. 0: no number (AccumulateGrad).
  static constexpr std::uint64_t autograd(std::int64_t packed) {
    const auto bits = static_cast<std::uint64_t>(packed);
    return OpLink::autograd((bits >> 1 & 0xFF) << 32 | bits >> 9);
  }
};

struct RawRecord {
  std::uint64_t start;
  std::uint64_t end;
  std::uint64_t link;
  std::uint32_t name;
  std::uint16_t track;  // 0: the slot's own track; else a foreign track of this process (a GPU
                        // stream, a counter)
  std::uint8_t kind;
  RecordType type;
};
static_assert(sizeof(RawRecord) == 32);

}  // namespace laptime
