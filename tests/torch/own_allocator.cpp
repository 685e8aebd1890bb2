// A program's own CPU allocator, as an extension would set it: counts, and hands on to the one
// before it, or to malloc.
#include <c10/core/CPUAllocator.h>

#include <atomic>
#include <cstdlib>

static std::atomic<long> got{0}, given_back{0};

struct Counting : c10::Allocator {
  static void give_back(void* block) {
    ++given_back;
    std::free(block);
  }
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, c10::Device(c10::DeviceType::CPU)};
    ++got;
    void* const block = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    return {block, block, &give_back, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &give_back; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

static Counting counting;
static c10::Allocator* before;

#pragma GCC visibility push(default)
extern "C" {
int own_set() {
  before = c10::GetCPUAllocator();
  c10::SetCPUAllocator(&counting);
  return c10::GetCPUAllocator() == &counting;
}
void own_restore() { c10::SetCPUAllocator(before); }
long own_alive() { return got - given_back; }
long own_got() { return got; }
}
#pragma GCC visibility pop
