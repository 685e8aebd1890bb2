// Times each wait for a batch where TensorFlow's runtime makes it: in the kernel of
// IteratorGetNext, on whichever thread it runs. So the wait is exact inside a tf.function, where no
// Python runs.
//
// TensorFlow exports the kernel's method and its vtable. The vtable's slot of that method is
// replaced by a function that calls the method.
//
// Assumption: the method is `absl::Status DoCompute(OpKernelContext*)`, as in TensorFlow 2.9 to
// 2.21. Consequence: the result is returned through a hidden first parameter (System V ABI).
// Contract: if anything is not as expected, TensorFlow stays as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace laptime::tensorflow {

// Returns null, or the reason why waits for input cannot be recorded. Call it again at no cost.
// Assumption: TensorFlow is loaded.
const char* install_input_hook();

// Requests for a batch so far, of all threads.
std::uint64_t input_requests();
// When the requests from number `first` on began, in ticks, in their order. Only those that got a
// batch. The oldest are missing if there are more than kMostRequests.
inline constexpr std::size_t kMostRequests = std::size_t{1} << 14;
std::vector<std::uint64_t> request_starts(std::uint64_t first);
// The same, only of the kernel that made the most requests. Without the last one if that is for an
// optional element. Assumption: it ended a loop of AutoGraph, and was empty. It succeeds all the
// same.
std::vector<std::uint64_t> busiest_request_starts(std::uint64_t first);

// Replaces the entry of `table` that points at `method` by `ours`. False if there is none, or if
// the page cannot be written.
bool replace_in_table(void** table, std::size_t entries, void* method, void* ours);

}  // namespace laptime::tensorflow
