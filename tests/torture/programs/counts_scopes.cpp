// Two threads record scopes for ever; each notes in a shared file how many it has ended. argv: the
// file.
#include <fcntl.h>
#include <sys/mman.h>
#include <chrono>
#include <cstdint>
#include <thread>

#include <laptime/laptime.hpp>

constexpr int kThreads = 2;

int main(int, char** argv) {
  const int fd = open(argv[1], O_RDWR);
  auto* counts = static_cast<volatile std::int64_t*>(
      mmap(nullptr, 8 * (kThreads + 1), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  for (int t = 0; t < kThreads; ++t)
    std::thread([=] {
      for (;;) {
        for (int i = 0; i < 100; ++i) {
          {
            LAPTIME_SCOPE("work");
          }
          counts[t] = counts[t] + 1;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }).detach();
  counts[kThreads] = 1;
  std::this_thread::sleep_for(std::chrono::minutes(10));
}
