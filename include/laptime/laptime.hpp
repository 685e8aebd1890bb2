// laptime: the C++ interface, a thin RAII layer over laptime.h (see there for the contract).
//
//   void train_step(Batch& batch) {
//     LAPTIME_FUNCTION();
//     { LAPTIME_SCOPE("forward"); … }
//     { LAPTIME_SCOPE("backward"); … }
//     laptime::value("loss", loss);
//     laptime::step(batch.size());
//   }
#pragma once

#include <cstdint>
#include <string_view>

#include "laptime/laptime.h"

namespace laptime {

// Times from here to the end of the enclosing block. A static site holds the name.
class [[nodiscard]] Scope {
 public:
  explicit Scope(laptime_site& site) noexcept : site_(&site), start_(laptime_begin()) {}
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { laptime_end(site_, start_); }

 private:
  laptime_site* site_;
  std::uint64_t start_;
};

// The same for a name known only at run time.
class [[nodiscard]] NamedScope {
 public:
  explicit NamedScope(std::string_view name) noexcept
      : name_(laptime_is_recording() ? laptime_name(name.data(), name.size()) : 0),
        start_(laptime_begin()) {}
  NamedScope(const NamedScope&) = delete;
  NamedScope& operator=(const NamedScope&) = delete;
  ~NamedScope() {
    if (start_ != 0) laptime_end_name(name_, start_);
  }

 private:
  std::uint32_t name_;
  std::uint64_t start_;
};

// Marks the end of a training step that took `samples` samples (0: unknown).
inline void step(std::uint64_t samples = 0) noexcept { laptime_step(samples); }

// A number over time: the loss, a learning rate, a queue's length.
inline void value(std::string_view name, double v) noexcept {
  if (laptime_is_recording()) laptime_record_value(laptime_name(name.data(), name.size()), v);
}

inline void name_thread(const char* name) noexcept { laptime_name_thread(name); }

// Records while it exists. ok() returns whether recording could start.
class [[nodiscard]] Recording {
 public:
  explicit Recording(const char* path = nullptr, const laptime_options* options = nullptr) noexcept
      : ok_(laptime_start(path, options) == 0) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    if (ok_) laptime_stop();
  }
  bool ok() const noexcept { return ok_; }

 private:
  bool ok_;
};

}  // namespace laptime

#define LAPTIME_JOIN_(a, b) a##b
#define LAPTIME_JOIN(a, b) LAPTIME_JOIN_(a, b)
#define LAPTIME_SCOPE_AT(name, number)                                          \
  static laptime_site LAPTIME_JOIN(laptime_site_, number) = LAPTIME_SITE(name); \
  const ::laptime::Scope LAPTIME_JOIN(laptime_scope_, number)(LAPTIME_JOIN(laptime_site_, number))
/* Twice on a line, or twice in another macro, is two scopes. */
#define LAPTIME_SCOPE(name) LAPTIME_SCOPE_AT(name, __COUNTER__)
#define LAPTIME_FUNCTION() LAPTIME_SCOPE(__func__)
