// Trains a perceptron on generated digits while a loader thread makes the batches. Run it under
// laptime:
//
//   laptime run -o digits.lap -- ./digits
//   laptime report digits.lap
#include <charconv>
#include <cstdio>
#include <cstring>
#include <laptime/laptime.hpp>
#include <thread>

#include "batch_queue.h"
#include "digit_images.h"
#include "mlp.h"

namespace {

constexpr std::size_t kBatchSize = 64;
constexpr std::size_t kHidden = 128;
constexpr std::size_t kQueueLength = 4;
constexpr std::size_t kTestImages = 2000;
constexpr float kLearningRate = 0.1f;

void load_batches(BoundedQueue<Batch>& queue, std::size_t count) {
  laptime::name_thread("loader");
  DigitImages images(/*seed=*/1);
  for (std::size_t i = 0; i < count; ++i) {
    Batch batch;
    {
      LAPTIME_SCOPE("draw batch");
      batch = images.next(kBatchSize);
    }
    LAPTIME_SCOPE("wait for room");
    queue.push(std::move(batch));
  }
}

void train(Mlp& model, std::size_t steps) {
  BoundedQueue<Batch> queue(kQueueLength);
  std::jthread loader(load_batches, std::ref(queue), steps);
  for (std::size_t i = 0; i < steps; ++i) {
    Batch batch;
    {
      LAPTIME_SCOPE("wait for batch");
      batch = queue.pop();
    }
    const float loss = model.train(batch, kLearningRate);
    laptime::value("loss", loss);
    laptime::step(batch.size());
    if (i % 200 == 0) std::printf("step %zu: loss %.4f\n", i, static_cast<double>(loss));
  }
}

double accuracy(Mlp& model) {
  LAPTIME_SCOPE("evaluate");
  const Batch test = DigitImages(/*seed=*/2).next(kTestImages);
  return static_cast<double>(model.count_correct(test)) / static_cast<double>(test.size());
}

// The number of steps asked for, 0 when the command line makes no sense.
std::size_t parse_steps(int argc, char** argv) {
  if (argc == 1) return 1200;
  std::size_t steps = 0;
  if (argc == 3 && std::strcmp(argv[1], "--steps") == 0)
    std::from_chars(argv[2], argv[2] + std::strlen(argv[2]), steps);
  return steps;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t steps = parse_steps(argc, argv);
  if (steps == 0) {
    std::fprintf(stderr, "usage: %s [--steps N]\n", argv[0]);
    return 2;
  }
  laptime::name_thread("trainer");
  Mlp model(kHidden);
  train(model, steps);
  std::printf("accuracy on %zu unseen digits: %.2f %%\n", kTestImages, 100 * accuracy(model));
}
