// A perceptron with one hidden layer (ReLU) and softmax, trained by plain SGD. Single-threaded,
// summed in a fixed order: the same batches give the same weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "digit_images.h"

// outputs = inputs * weights + bias, for a batch of rows.
class Linear {
 public:
  Linear(std::size_t inputs, std::size_t outputs, std::uint64_t seed);

  void forward(const std::vector<float>& in, std::vector<float>& out, std::size_t rows) const;
  // Keeps the gradients of the weights; also gives the input's when `in_gradient` is not null.
  void backward(const std::vector<float>& in, const std::vector<float>& out_gradient,
                std::vector<float>* in_gradient, std::size_t rows);
  void update(float learning_rate);

 private:
  std::size_t inputs_, outputs_;
  std::vector<float> weights_, bias_;  // weights: inputs_ rows of outputs_
  std::vector<float> weight_gradient_, bias_gradient_;
};

class Mlp {
 public:
  explicit Mlp(std::size_t hidden);

  // One step of SGD; the batch's mean loss before it.
  float train(const Batch& batch, float learning_rate);
  std::size_t count_correct(const Batch& batch);

 private:
  void forward(const Batch& batch);
  float loss_and_gradient(const Batch& batch);
  void backward(const Batch& batch);

  Linear first_, second_;
  std::vector<float> hidden_, logits_;                    // of the latest forward pass
  std::vector<float> logits_gradient_, hidden_gradient_;  // of the latest backward pass
};
