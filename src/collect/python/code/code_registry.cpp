#include "collect/python/code/code_registry.h"

#include <frameobject.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <numeric>

#include "collect/python/code/line_ranges.h"
#include "collect/python/interpreter/python_support.h"
#include "collect/python/interpreter/python_text.h"
#include "collect/python/lines/line_stack.h"

namespace laptime::python {

namespace {

// A longer "function" is generated data. Its dense line arrays would not be worth their memory.
constexpr std::int64_t kMostLines = 1 << 20;

void read_lines(CodeRecord& record) {
  std::int64_t low = record.first_line, high = record.first_line;
  for_each_line_range(record.code, [&](long, long, int line) {
    if (line < 0) return;
    low = std::min<std::int64_t>(low, line);
    high = std::max<std::int64_t>(high, line);
  });
  if (high - low >= kMostLines) return;
  record.base_line = static_cast<std::int32_t>(low) - static_cast<std::int32_t>(kFirstLineSlot);
  record.slot_count = static_cast<std::uint32_t>(high - low) + 1 + kFirstLineSlot;
}

// Byte offset of the current instruction of the calling thread's innermost frame. Negative before
// the first.
std::int64_t innermost_instruction() {
  OwnedRef frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  if (!frame) return -1;
  auto* object = reinterpret_cast<PyFrameObject*>(frame.get());
#if PY_VERSION_HEX >= 0x030B0000
  return PyFrame_GetLasti(object);
#else
  return 2 * std::int64_t{object->f_lasti};
#endif
}

std::string identity(const CodeRecord& record) {
  return record.file + '\0' + std::to_string(record.first_line) + '\0' + record.qualified + '\0' +
         std::to_string(record.content);
}

}  // namespace

CodeRegistry& CodeRegistry::instance() {
  static auto* registry = new CodeRegistry;
  return *registry;
}

bool CodeRegistry::initialise() {
  if (extra_index_ >= 0) return true;
  const Py_ssize_t index = request_code_extra_index(&CodeRegistry::forget);
  if (index < 0) return false;
  extra_index_ = index;
  CodeRecord mark;
  mark.shared_library_mark = true;
  OwnedRef probe(reinterpret_cast<PyObject*>(PyCode_NewEmpty("laptime", "probe", 1)));
  const bool readable =
      probe && set_code_extra(probe.get(), index, &mark) && find(probe.get()) == &mark;
  probe = OwnedRef();
  if (!readable) extra_index_ = -1;
  PyErr_Clear();
  return readable;
}

void CodeRegistry::mark_library(PyObject* code, std::uint32_t generation) {
  if (CodeRecord* record = find(code); record != nullptr && !record->shared_library_mark) {
    record->verdict_generation = generation;
    record->user = false;
    return;
  }
  if (library_mark_ == nullptr || library_mark_->verdict_generation != generation) {
    library_mark_ = new CodeRecord;  // older marks stay in code objects permanently
    library_mark_->shared_library_mark = true;
    library_mark_->verdict_generation = generation;
  }
  if (!set_code_extra(code, extra_index_, library_mark_)) PyErr_Clear();
}

CodeRecord* CodeRegistry::add(PyObject* code) {
  const ErrorGuard guard;
  const auto* object = reinterpret_cast<PyCodeObject*>(code);
  CodeRecord fresh;
  fresh.code = code;
  fresh.first_line = object->co_firstlineno;
  fresh.file = bytes_of(object->co_filename);
  fresh.name = bytes_of(object->co_name);
#if PY_VERSION_HEX >= 0x030B0000
  fresh.qualified = bytes_of(object->co_qualname);
#else
  fresh.qualified = fresh.name;
#endif
  fresh.content = PyObject_Hash(code);
  CodeRecord* record = adopt_dead(fresh);
  if (record == nullptr) {
    fresh.id = next_callable_id();
    read_lines(fresh);
    records_.push_back(std::make_unique<CodeRecord>(std::move(fresh)));
    record = records_.back().get();
  }
  if (!set_code_extra(code, extra_index_, record)) PyErr_Clear();
  return record;
}

CodeRecord* CodeRegistry::adopt_dead(const CodeRecord& like) {
  const auto found = dead_.find(identity(like));
  if (found == dead_.end()) return nullptr;
  CodeRecord* record = found->second;
  dead_.erase(found);
  record->code = like.code;
  record->armed_epoch = 0;
  return record;
}

void CodeRegistry::forget(void* value) {
  auto* record = static_cast<CodeRecord*>(value);
  if (record == nullptr || record->shared_library_mark) return;
  record->code = nullptr;
  instance().dead_.emplace(identity(*record), record);
}

std::uint32_t slot_of_line(const CodeRecord& record, int line) {
  const auto slot = static_cast<std::uint32_t>(line - record.base_line);
  return slot < record.slot_count ? slot : kEntrySlot;
}

void join_statements(CodeRecord& record, const std::vector<int>& first_lines) {
  std::vector<std::uint32_t> words(record.slot_count);
  std::iota(words.begin(), words.end(), 0u);
  for (std::uint32_t slot = kFirstLineSlot; slot < record.slot_count; ++slot) {
    const auto line = static_cast<std::size_t>(static_cast<std::int64_t>(slot) + record.base_line);
    if (line >= first_lines.size()) break;
    // A lambda's lines may belong to a statement that begins outside it. Then its own first line
    // replaces the statement's.
    const std::uint32_t first =
        std::max(slot_of_line(record, std::abs(first_lines[line])), kFirstLineSlot);
    if (first == slot) continue;
    words[slot] = words[first] = first | kLongStatement;
    if (first_lines[line] < 0) words[slot] = words[first] |= kOneLineLoop;
  }
  record.statements = words;
  // The code of a statement is contiguous, except for conditions of loops, which exist twice. Each
  // copy has its own beginning.
  std::uint32_t before = kEntrySlot;
  for_each_line_range(record.code, [&](long start, long, int line) {
    const std::uint32_t slot = line < 0 ? kEntrySlot : slot_of_line(record, line),
                        statement = words[slot];
    if (statement != before && statement & kLongStatement) {
      record.beginnings.resize(
          std::max(record.beginnings.size(), static_cast<std::size_t>(start) / 2 + 1));
      record.beginnings[static_cast<std::size_t>(start) / 2] = true;
      record.statements[slot] |= kMayBegin;
    }
    before = statement;
  });
}

bool is_beginning(const CodeRecord& record) {
  const auto unit = static_cast<std::uint64_t>(innermost_instruction()) / 2;
  return unit < record.beginnings.size() && record.beginnings[unit];
}

std::uint32_t slot_at_instruction(CodeRecord& record, std::int64_t byte_offset) {
  auto& table = record.slot_of_instruction;
  if (table.empty() && record.code != nullptr) {
    const ErrorGuard guard;
    for_each_line_range(record.code, [&](long start, long end, int line) {
      if (end < start || end > INT_MAX) return;
      table.resize(std::max(table.size(), static_cast<std::size_t>(end / 2)), kEntrySlot);
      std::fill(table.begin() + start / 2, table.begin() + end / 2, slot_of_line(record, line));
    });
    if (table.empty()) table.push_back(kEntrySlot);
  }
  const auto unit = static_cast<std::uint64_t>(byte_offset) / 2;
  return unit < table.size() ? table[unit] : kEntrySlot;
}

}  // namespace laptime::python
