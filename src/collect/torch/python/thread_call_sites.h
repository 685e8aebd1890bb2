// The call sites that a thread remembers, without a lock.
#pragma once

#include <cstdint>
#include <memory>

#include "collect/python/interpreter/own_frames.h"
#include "collect/torch/python/call_frames.h"
#include "collect/torch/remembered.h"

namespace laptime::torch {

// library: Python, torch or laptime. package: any other installed package.
enum class Verdict : std::uint8_t { library, package, user, generated, calls_module };

// A code object and its owner.
struct JudgedCode {
  struct Key {
    const PyCodeObject* code = nullptr;

    bool operator==(const Key&) const = default;
    std::uint64_t hash() const { return spread(reinterpret_cast<std::uint64_t>(code)); }
  };
  const PyCodeObject* code = nullptr;
  std::uint64_t identity = 0;  // python::code_identity: the address may be reused by now
  Verdict verdict = Verdict::library;

  bool is_free() const { return code == nullptr; }
  Key key() const { return {code}; }
};

struct KnownCallSite {
  struct Key {
    std::uint64_t code = 0;  // python::code_identity
    const PyObject* module = nullptr;
    int instruction = 0;
    std::uint32_t frame = 0;
    int package_instruction = 0;
    std::uint64_t package =
        0;  // python::code_identity of a package's code that the user's called; 0: none

    bool operator==(const Key&) const = default;
    std::uint64_t hash() const {
      const std::uint64_t line =
          spread(spread(code, frame),
                 reinterpret_cast<std::uint64_t>(module) + static_cast<std::uint32_t>(instruction));
      return package == 0 ? line
                          : spread(line, package + static_cast<std::uint32_t>(package_instruction));
    }
  };
  Key at;
  std::uint32_t call_site = 0;
  bool is_known = false;  // a call site may be 0

  bool is_free() const { return !is_known; }
  const Key& key() const { return at; }
};

struct ThreadCallSites {
  std::uint64_t generation = 0;
  const PyCodeObject* module_call = nullptr;
  // The thread's own state, if it is known to stay alive: that of the thread that started Python,
  // until Python ends.
  const PyThreadState* state = nullptr;
  Remembered<JudgedCode> codes;
  Remembered<KnownCallSite> call_sites;
  std::unique_ptr<CallFrames> frames;  // if they are kept
};

}  // namespace laptime::torch
