// The entry for NVTX: a program's first NVTX call loads the library that NVTX_INJECTION64_PATH
// names and calls InitializeInjectionNvtx2. Each library of a program has its own NVTX and does so
// once.
#include <atomic>
#include <cstring>
#include <string>

#include "collect/cuda/nvtx/nvtx_ranges.h"
#include "collect/cuda/nvtx/nvtx_types.h"
#include "laptime/laptime.h"
#include "record/collector.h"

namespace laptime::nvtx {

namespace {

RangeName name_of(const char* text) {
  return nvtx::name_of(text ? std::string_view(text) : std::string_view("?"));
}

void append_utf8(std::string& text, std::uint32_t c) {
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  text += static_cast<char>((0xFF00 >> (more + 1) & 0xFF) | c >> 6 * more);
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (c >> 6 * i & 0x3F));
}

RangeName name_of(const wchar_t* text) {
  if (!text) return nvtx::name_of(std::string_view("?"));
  std::string narrow;
  for (; *text; ++text) append_utf8(narrow, static_cast<std::uint32_t>(*text) & 0x1FFFFF);
  return nvtx::name_of(narrow);
}

// A registered string is identified by a handle of laptime's.
std::uintptr_t handle_of(RangeName name) {
  return static_cast<std::uintptr_t>(name.role) << 32 | name.id;
}
RangeName of_handle(std::uintptr_t handle) {
  return {static_cast<std::uint32_t>(handle), static_cast<Role>(handle >> 32)};
}

RangeName name_of(const EventAttributes* attributes) {
  if (attributes && attributes->size >= sizeof *attributes) switch (attributes->message_type) {
      case kAscii:
        return name_of(static_cast<const char*>(attributes->message));
      case kUnicode:
        return name_of(static_cast<const wchar_t*>(attributes->message));
      case kRegistered:
        return of_handle(reinterpret_cast<std::uintptr_t>(attributes->message));
      default:
        break;
    }
  return name_of("?");
}

std::uint64_t number(const void* domain) { return reinterpret_cast<std::uintptr_t>(domain); }

template <typename Text>
const void* register_string(const void*, const Text* text) {
  return reinterpret_cast<const void*>(handle_of(name_of(text)));
}
template <typename Text>
const void* create_domain(const Text*) {
  static std::atomic<std::uintptr_t> next{1};
  return reinterpret_cast<const void*>(next.fetch_add(1));
}

template <typename Text>
constexpr auto mark_with = +[](const Text* text) { mark(name_of(text)); };
template <typename Text>
constexpr auto start_with = +[](const Text* text) { return start(name_of(text)); };
template <typename Text>
constexpr auto push_with = +[](const Text* text) { return push(0, name_of(text)); };

struct Handler {
  unsigned call;
  Function function;
};
Handler handler(unsigned call, auto function) {
  return {call, reinterpret_cast<Function>(function)};
}

template <std::size_t n>
void set(const Callbacks& callbacks, Module module, const Handler (&handlers)[n]) {
  Function** table = nullptr;
  unsigned size = 0;
  if (!callbacks.module_table(module, &table, &size) || !table) return;
  for (const Handler& each : handlers)
    if (each.call < size && table[each.call]) *table[each.call] = each.function;
}

void attach(const Callbacks& callbacks) {
  const Handler core[] = {
      handler(kMarkEx, mark_with<EventAttributes>),
      handler(kMarkA, mark_with<char>),
      handler(kMarkW, mark_with<wchar_t>),
      handler(kRangeStartEx, start_with<EventAttributes>),
      handler(kRangeStartA, start_with<char>),
      handler(kRangeStartW, start_with<wchar_t>),
      handler(kRangeEnd, &end),
      handler(kRangePushEx, push_with<EventAttributes>),
      handler(kRangePushA, push_with<char>),
      handler(kRangePushW, push_with<wchar_t>),
      handler(
          kRangePop, +[] { return pop(0); }),
  };
  const Handler domains[] = {
      handler(
          kDomainMarkEx, +[](const void*, const EventAttributes* event) { mark(name_of(event)); }),
      handler(
          kDomainRangeStartEx,
          +[](const void*, const EventAttributes* event) { return start(name_of(event)); }),
      handler(
          kDomainRangeEnd, +[](const void*, std::uint64_t range) { end(range); }),
      handler(
          kDomainRangePushEx,
          +[](const void* domain, const EventAttributes* event) {
            return push(number(domain), name_of(event));
          }),
      handler(
          kDomainRangePop, +[](const void* domain) { return pop(number(domain)); }),
      handler(kDomainRegisterStringA, &register_string<char>),
      handler(kDomainRegisterStringW, &register_string<wchar_t>),
      handler(kDomainCreateA, &create_domain<char>),
      handler(kDomainCreateW, &create_domain<wchar_t>),
  };
  set(callbacks, kCore, core);
  set(callbacks, kCore2, domains);
}

}  // namespace

}  // namespace laptime::nvtx

// 1: success.
extern "C" LAPTIME_API int InitializeInjectionNvtx2(laptime::nvtx::GetExportTable tables) {
  const auto* const callbacks =
      static_cast<const laptime::nvtx::Callbacks*>(tables(laptime::nvtx::kCallbacksTable));
  if (!laptime::record::on() || !callbacks || callbacks->struct_size < sizeof *callbacks) return 0;
  laptime::nvtx::attach(*callbacks);
  return 1;
}
