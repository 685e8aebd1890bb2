#include "collect/python/code/learnt_levels.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/os/file.h"
#include "record/collector.h"

namespace laptime::python {

namespace {

constexpr std::size_t kMostEntries = 2048;
constexpr double kSecondsBetweenReads = 0.05;

struct Entry {
  std::uint64_t identity, level;
};

// FNV-1a, because it is the same in every process. Python's hashes and std::hash do not promise
// that.
std::uint64_t identity(const CodeRecord& record) {
  std::uint64_t hash = 0xCBF2'9CE4'8422'2325;
  const auto add = [&](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100'0000'01B3;
    hash *= 0x100'0000'01B3;
  };
  add(record.file);
  add(record.qualified);
  add(std::to_string(record.first_line));
  return hash;
}

}  // namespace

LearntLevels& LearntLevels::instance() {
  static auto* levels = new LearntLevels;
  return *levels;
}

void LearntLevels::read() {
  const UniqueFd file(record::open_shared_file(O_RDONLY));
  std::array<Entry, kMostEntries> entries;
  const ssize_t size = file ? ::read(file.get(), entries.data(), sizeof entries) : 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::max<ssize_t>(0, size)) / sizeof(Entry);
       ++i) {
    if (entries[i].level > static_cast<std::uint64_t>(Level::off)) continue;
    Level& level = levels_[entries[i].identity];
    level = std::max(level, static_cast<Level>(entries[i].level));
  }
}

Level LearntLevels::level_of(const CodeRecord& record, std::uint64_t now, double ticks_per_second) {
  if (!record::on()) return Level::lines;
  if (read_at_ == 0 ||
      static_cast<double>(now - read_at_) > kSecondsBetweenReads * ticks_per_second) {
    read_at_ = now;
    read();
  }
  const auto found = levels_.find(identity(record));
  return found == levels_.end() ? Level::lines : found->second;
}

void LearntLevels::add(const CodeRecord& record) const {
  if (!record::on()) return;
  const UniqueFd file(record::open_shared_file(O_WRONLY | O_APPEND | O_CREAT));
  if (!file || ::lseek(file.get(), 0, SEEK_END) >= static_cast<off_t>(kMostEntries * sizeof(Entry)))
    return;
  const Entry entry{identity(record), static_cast<std::uint64_t>(record.level)};
  (void)!::write(file.get(), &entry, sizeof entry);
}

}  // namespace laptime::python
