#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "format/frame.h"
#include "format/names.h"
#include "format/part.h"
#include "format/raw_batch.h"
#include "format/reader.h"
#include "format/version.h"

namespace laptime {

namespace {

struct PartLayout {
  const PartHeader* header;
  std::uint32_t slots;     // slots that lie within the file
  std::size_t log_offset;  // file.size() if the log is missing
};

Result<PartLayout> check_layout(ByteView file, const std::string& name) {
  if (file.size() < kPageSize || std::memcmp(file.data(), kPartMagic, sizeof kPartMagic) != 0)
    return fail(ErrorKind::bad_file, name + " is not a part of a laptime run");
  // A mapping is aligned to pages, and the allocator aligns a test's buffer. PartHeader needs an
  // alignment of 8.
  const auto* header = reinterpret_cast<const PartHeader*>(file.data());
  RETURN_IF_ERROR(check_version(header->version, name));
  const bool sane = header->slot_size == kSlotSize && std::isfinite(header->ns_per_tick) &&
                    header->ns_per_tick > 0 && header->ns_per_tick < 1e6 &&
                    header->log_offset == kPageSize + std::uint64_t{header->slot_count} * kSlotSize;
  if (!sane) return fail(ErrorKind::bad_file, name + " has a damaged header");
  const std::size_t in_file = (file.size() - kPageSize) / kSlotSize;
  return PartLayout{
      header, static_cast<std::uint32_t>(std::min<std::size_t>(header->slot_count, in_file)),
      static_cast<std::size_t>(std::min<std::uint64_t>(header->log_offset, file.size()))};
}

// Reads the log up to its first torn frame: the process may have died during a write.
class LogReader {
 public:
  LogReader(RunContent& run, PartContent& part) : run_(run), part_(part) {}

  void read(ByteView log) {
    std::size_t at = 0;
    PageBudget pages(run_);
    while (at < log.size()) {
      const auto frame = parse_frame(log, at);
      // Only the last write can be torn. Blocks of an earlier batch are verified by their own
      // checksums.
      const bool unsure =
          frame && (frame->type != FrameType::batch || at + frame->total_size == log.size());
      if (!frame || (unsure && !frame->intact()) || !take(*frame)) break;
      at += frame->total_size;
      pages.touch(frame->total_size);
    }
    if (at < log.size())
      run_.count_warning("torn_log", Severity::info, 1,
                         "a process ended while it wrote; its raw records are used instead");
  }
  const SharedArgs& shared_args() const { return shared_; }
  bool encoded(std::uint64_t sequence) const { return encoded_.contains(sequence); }

  // While a part is live, its warning facts have the names and its header has the counts.
  void count_warnings(const PartHeader& header) {
    for (const WarningFact& warning : warnings_)
      if (warning.index < kMaxWarnings)
        run_.count_warning(warning.name, warning.severity,
                           header.warnings[warning.index].load(std::memory_order_relaxed),
                           warning.message);
  }

 private:
  bool take(const Frame& frame) {
    if (frame.codec != Codec::raw) return false;
    ByteReader in(frame.payload);
    if (frame.type == FrameType::facts) {
      in.varint();
      return for_each_fact(in.bytes(in.remaining()), [&](const Fact& fact) {
        if (const auto* warning = std::get_if<WarningFact>(&fact))
          warnings_.push_back(*warning);
        else if (const auto* args = std::get_if<ArgsFact>(&fact))
          set_args(*args);
        else
          run_.add_fact(part_, fact);
      });
    }
    return frame.type == FrameType::batch ? take_batch(in) : true;
  }
  void set_args(const ArgsFact& fact) {
    if (run_.budget.take(2 * sizeof(fact) + fact.args.size() * sizeof(SharedArg)))
      shared_.set(fact);
  }
  bool take_batch(ByteReader& in) {
    const std::uint64_t slots = in.varint();
    if (slots > in.remaining()) return false;
    for (std::uint64_t i = 0; i < slots; ++i) encoded_.insert(in.varint());
    const ByteView frames = in.bytes(in.remaining());
    for (std::size_t at = 0; at < frames.size();) {
      const auto frame = parse_frame(frames, at);
      const auto block = frame ? parse_block(*frame) : std::nullopt;
      if (!block) return false;
      part_.blocks.push_back(*block);
      at += frame->total_size;
    }
    return !in.failed();
  }

  RunContent& run_;
  PartContent& part_;
  std::unordered_set<std::uint64_t> encoded_;
  std::vector<WarningFact> warnings_;
  SharedArgs shared_;
};

struct CopiedSlot {
  std::uint64_t sequence;
  std::uint32_t track;
  std::vector<RawRecord> records;
};

// Empty if the slot is free, or keeps changing. A running process may recycle a slot during the
// copy. So the copy is checked afterwards.
std::optional<CopiedSlot> copy_slot(const Slot& slot) {
  constexpr int kMostTries = 8;
  for (int i = 0; i < kMostTries; ++i) {
    if (slot.header.state.load(std::memory_order_acquire) == SlotState::free) return std::nullopt;
    const volatile SlotHeader& header = slot.header;
    CopiedSlot copy{header.sequence, header.track, {}};
    const std::uint32_t used =
        std::min<std::uint32_t>(slot.header.used.load(std::memory_order_acquire), kSlotRecords);
    copy.records.assign(slot.records, slot.records + used);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (header.sequence == copy.sequence) return copy;
  }
  return std::nullopt;
}

// In recording order.
std::vector<CopiedSlot> copy_slots(const RunContent& run, ByteView file, const PartLayout& layout,
                                   const WrittenParts& written) {
  std::vector<CopiedSlot> copied;
  PageBudget pages(run);
  for (std::uint32_t i = 0; i < layout.slots; ++i) {
    const std::size_t offset = kPageSize + i * kSlotSize;
    if (!written.has(offset)) continue;
    pages.touch(kSlotSize);
    if (auto copy = copy_slot(*reinterpret_cast<const Slot*>(file.data() + offset)))
      copied.push_back(std::move(*copy));
  }
  std::sort(copied.begin(), copied.end(),
            [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  return copied;
}

// The memory for columns of the slots and for their arguments: every record may refer to a short
// list.
bool fits(RunContent& run, const std::vector<CopiedSlot>& slots, const LogReader& log) {
  constexpr std::uint64_t kRecord = 64,
                          kArgument = 3ull * 17;  // with what is left behind as columns grow
  for (const CopiedSlot& slot : slots) {
    std::uint64_t arguments = 0;
    for (const RawRecord& record : slot.records)
      if (record.type == RecordType::op) arguments += log.shared_args().of(record.track).size();
    if (!run.budget.take(slot.records.size() * kRecord + arguments * kArgument)) return false;
  }
  return true;
}

// Recovers slots with records that are in no batch.
void recover_slots(RunContent& run, PartContent& part, const std::vector<CopiedSlot>& copied,
                   const LogReader& log, TickScale scale) {
  RawBatch batch(scale, log.shared_args());
  for (const CopiedSlot& slot : copied)
    if (!log.encoded(slot.sequence)) batch.add(slot.track, slot.records);
  Bytes frames;
  batch.append_blocks_to(frames, 0);
  const ByteView kept = run.keep(std::move(frames));
  for (std::size_t at = 0; at < kept.size();) {
    const auto frame = parse_frame(kept, at);
    if (const auto block = parse_block(*frame)) part.blocks.push_back(*block);
    at += frame->total_size;
  }
  run.count_warning("malformed_records", Severity::error, batch.malformed(),
                    "invalid raw records were left out");
}

bool has_property(const PartContent& part, std::string_view key) {
  return std::ranges::any_of(part.facts, [&](const Fact& fact) {
    const auto* const property = std::get_if<PropertyFact>(&fact);
    return property != nullptr && property->key == key;
  });
}

// A loader's worker is ended by its program in whatever way: all that it was to do is done then.
bool is_loader_worker(const PartContent& part) {
  return has_property(part, property::kLoaderWorker);
}

// The Python package notes the engines when they start, and their cost after it has written their
// last counts.
bool counts_in_memory(const PartContent& part) {
  return has_property(part, property::kPythonEngines) &&
         !has_property(part, property::kPythonCostNs);
}

void add_header_properties(RunContent& run, PartContent& part, const PartHeader& header) {
  const auto add = [&](std::string_view key, std::uint64_t value) {
    part.facts.push_back(PropertyFact{key, static_cast<std::int64_t>(value)});
  };
  add(property::kPid, header.pid);
  add(property::kParentPid, header.parent_pid);
  add(property::kRecords, header.records.load(std::memory_order_relaxed));
  add(property::kEncoderNs, header.encoder_ns.load(std::memory_order_relaxed));
  add(property::kRecordCostPs, header.record_cost_ps);
  if (const std::uint64_t cpu_ns = header.cpu_ns.load(std::memory_order_relaxed))
    add(property::kCpuNs, cpu_ns);
  if (header.state.load(std::memory_order_acquire) != PartState::finished &&
      !is_loader_worker(part))
    run.count_warning("unfinished_process", Severity::info, 1,
                      "a process was killed or still runs; everything it had recorded is included");
  if (header.state.load(std::memory_order_acquire) != PartState::finished && counts_in_memory(part))
    run.count_warning("counts_in_memory", Severity::warning, 1,
                      "a process was killed or still runs: the counts of lines and functions since "
                      "its last step are missing");
}

}  // namespace

Status read_part(RunContent& run, ByteView file, const std::string& name,
                 const std::function<Result<ByteView>()>& look_again, const WrittenParts& written) {
  ASSIGN_OR_RETURN(PartLayout layout, check_layout(file, name));
  // Slots are read before the log: a running process writes a slot's records to the log, then frees
  // it. In the other order, records could be missed in both.
  const std::vector<CopiedSlot> copied = copy_slots(run, file, layout, written);
  if (const auto now =
          look_again ? look_again()
                     : Result<ByteView>(
                           file)) {  // otherwise it is gone, and what was read is all there is
    file = *now;
    ASSIGN_OR_RETURN(layout, check_layout(file, name));
  }
  const PartHeader& header = *layout.header;
  run.budget.add_file(file.size());
  PartContent part;
  LogReader log(run, part);
  log.read(file.subspan(layout.log_offset));
  log.count_warnings(header);
  if (run.budget.exceeded() || !fits(run, copied, log)) return run.budget.refusal(name);
  recover_slots(run, part, copied, log,
                TickScale::from_rate(header.origin_ticks, header.ns_per_tick));
  add_header_properties(run, part, header);
  run.parts.push_back(std::move(part));
  return {};
}

}  // namespace laptime
